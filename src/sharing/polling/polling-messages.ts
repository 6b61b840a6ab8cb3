// Defines the messages by which replicas share the states of running actions.
import * as z from 'zod';

const id = z.string().max(1_024);
const kind = z.enum(['watched', 'listed']);

/** The fencing token of the term in which a state was read, and the number of the change among those of the replica that has read it. */
const version = z.tuple([z.number(), z.int()]).readonly();

const states = z.object({
  kind: z.literal('states'),
  /** The follower that is answered; null for a change, which is for all. */
  to: z.string().nullable(),
  states: z.array(z.tuple([kind, id, z.record(z.string(), z.unknown()), version]).readonly()).readonly(),
  /** The ids of actions that the leader could not read; null for the list of unfinished ones. */
  failed: z.array(id.nullable()).readonly(),
});

/** An action that a follower watches, and the version of the state that it has; null for none. */
const known = z.tuple([id, version.nullable()]).readonly();

/** What a follower watches. It sends this at each beat, also for a leader that is new, and to make up for lost messages. */
const follow = z.object({
  kind: z.literal('follow'),
  replica: z.string(),
  watched: z.array(known).readonly(),
  /** The unfinished actions that it knows; null where it does not watch the list. */
  listed: z.array(known).readonly().nullable(),
});

/** The leader has no readers any more. */
const left = z.object({ kind: z.literal('left') });

/** A message of one replica to the others. */
export const pollingMessage = z.discriminatedUnion('kind', [states, follow, left]);

export type Version = z.infer<typeof version>;
export type SentState = z.infer<typeof states>['states'][number];
export type StatesMessage = z.infer<typeof states>;
export type FollowMessage = z.infer<typeof follow>;
export type PollingMessage = z.infer<typeof pollingMessage>;
