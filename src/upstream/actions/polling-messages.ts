// Defines the messages by which replicas share the states of running actions.
import * as z from 'zod';

const id = z.string().max(1_024);
const state = z.record(z.string(), z.unknown());
/** The state of an action, with the fencing token of its read. */
const readState = z.tuple([id, state, z.number()]);

/** The last change of a leader that a replica has received without a gap. */
const position = z.object({ leader: z.string(), change: z.int() });

/** The leader's states: a change, or the answer to a follower. */
const states = z.object({
  kind: z.literal('states'),
  leader: z.string(),
  /** The follower that is answered; null for a change, which is for all. */
  to: z.string().nullable(),
  /** The numbers of the changes before and with this message. A gap between two messages is a lost message. */
  after: z.int(),
  change: z.int(),
  actions: z.array(readState).readonly(),
  /** Unfinished actions of the list. */
  unfinished: z.array(readState).readonly(),
  /** Whether these are all unfinished actions. */
  isWhole: z.boolean(),
  /** Actions that the leader could not read. */
  failed: z.array(id).readonly(),
});

/** What a follower watches. It sends this at each beat, also for a leader that is new or has lost a message. */
const follow = z.object({
  kind: z.literal('follow'),
  replica: z.string(),
  /** The actions, each with the fencing token of the state that it has; null for none. It takes over no state with an earlier one. */
  actions: z.array(z.tuple([id, z.number().nullable()])).readonly(),
  unfinished: z.boolean(),
  /** Whether it has received no list of the unfinished actions yet. */
  lacksList: z.boolean(),
  position,
});

/** The leader has no readers any more. */
const left = z.object({ kind: z.literal('left') });

const message = z.discriminatedUnion('kind', [states, follow, left]);

export type Position = z.infer<typeof position>;
export type ReadState = z.infer<typeof readState>;
export type StatesMessage = z.infer<typeof states>;
export type FollowMessage = z.infer<typeof follow>;
export type PollingMessage = z.infer<typeof message>;

/** Reads a message; null for one of another form. */
export const readMessage = (content: unknown): PollingMessage | null =>
  message.safeParse(content).data ?? null;
