// Sends the other replicas which callers have written, so that they drop what they have kept for them.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { credentialMessage, fromMessage, toMessage } from '../../sharing/credential-message.ts';
import type { Channel, Replicas } from '../../sharing/replicas.ts';
import { atMost } from '../../upstream/cache-bounds.ts';
import { type Caller, createCaller } from '../../upstream/http/caller.ts';

const message = z.object({
  /** Identifies a recorded event; null where it is not recorded. */
  id: z.string().nullable(),
  /** Null: an anonymous caller. */
  credential: credentialMessage.nullable(),
  /** What has happened: a write has ended; it has started an action, which may be running now; such an action has ended. */
  kind: z.enum(['written', 'started', 'ended']),
  /** The id of the action; null for none, or where it is unknown. */
  action: z.string().nullable(),
});
const recorded = z.object({ id: z.string() });

/** Who has written. */
export type Writer = Pick<Caller, 'key' | 'credential'>;

/** What has happened, see `message`. */
export type WriteEvent = Pick<z.infer<typeof message>, 'kind' | 'action'>;

/** Applies an event: whatever began before it is not shared any more. */
type Apply = (writer: Writer, event: WriteEvent) => void;

/**
 * For how long the last write of a caller is recorded, in milliseconds: longer than a read may be joined, and than it takes to look
 * for the record.
 */
const RECORDED_FOR = 2_000;
/** Callers whose last applied event is remembered. Others have theirs applied again. */
const MAX_CALLERS = 10_000;

/**
 * The writes of callers at all replicas. The record of the last one is for those who need to know it at once. Messages are for what is
 * kept longer; they come a little later, or not at all. Each replica applies a write after it was recorded: so what began since it
 * has applied the recorded one is newer than all that were recorded before.
 */
export class SharedWrites {
  readonly #replicas: Replicas;
  readonly #apply: Apply;
  readonly #channel: Channel;
  /** The ids of the last applied events, by the caller's key. */
  readonly #applied = new LRUCache<string, string>(atMost(MAX_CALLERS));

  constructor(replicas: Replicas, apply: Apply) {
    this.#replicas = replicas;
    this.#apply = apply;
    this.#channel = replicas.open('writes', (content) => {
      const { data } = message.safeParse(content);
      if (data === undefined) return;
      const { id, credential, kind, action } = data;
      const writer = createCaller(credential === null ? null : fromMessage(credential));
      // The record, which does not name actions, may have been seen before.
      if (kind === 'written' && this.#applied.get(writer.key) === id) return;
      this.#applyEvent(writer, id, { kind, action });
    });
  }

  /** Whether callers may write at another replica. */
  get areElsewhere(): boolean {
    return this.#replicas.hasOthers;
  }

  /**
   * Applies what has happened here, at all replicas. Resolves when each of them can know it, or need not.
   * @param unknownFor Milliseconds after which none needs to know it any more.
   */
  async record(writer: Writer, event: WriteEvent, unknownFor: number): Promise<void> {
    if (!this.areElsewhere) return this.#apply(writer, event);
    const id = randomUUID();
    if (!(await this.#replicas.store(nameOf(writer), { id }, RECORDED_FOR))) await pause(unknownFor);
    this.#applyEvent(writer, id, event);
    this.#send(writer, id, event);
  }

  /** Applies what has happened here, at the other replicas a little later. */
  announce(writer: Writer, event: WriteEvent): void {
    this.#apply(writer, event);
    if (this.areElsewhere) this.#send(writer, null, event);
  }

  /** Whether all recorded writes of a caller have been applied here. Applies one that was not. */
  async areApplied(writer: Writer): Promise<boolean> {
    const { data } = recorded.safeParse(await this.#replicas.load(nameOf(writer)));
    if (data === undefined) return this.#replicas.report?.isAlone !== true;
    if (this.#applied.get(writer.key) === data.id) return true;
    this.#applyEvent(writer, data.id, { kind: 'written', action: null });
    return false;
  }

  #applyEvent(writer: Writer, id: string | null, event: WriteEvent): void {
    if (id !== null) this.#applied.set(writer.key, id);
    this.#apply(writer, event);
  }

  #send({ credential }: Writer, id: string | null, event: WriteEvent): void {
    void this.#channel.send({ id, credential: credential === null ? null : toMessage(credential), ...event });
  }
}

const nameOf = ({ credential }: Writer): string =>
  JSON.stringify(['written', credential?.header, credential?.value]);
