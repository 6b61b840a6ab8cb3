// Sends the other replicas which callers have written, so that they drop what they have kept for them.
import * as z from 'zod';
import { credentialMessage, fromMessage, toMessage } from '../../sharing/credential-message.ts';
import type { Channel, Replicas } from '../../sharing/replicas.ts';
import { type Caller, createCaller } from '../../upstream/http/caller.ts';

const message = z.object({
  /** Null: an anonymous caller. */
  credential: credentialMessage.nullable(),
  /** What has happened: a write has ended; it has started an action, which may be running now; such an action has ended. */
  kind: z.enum(['written', 'started', 'ended']),
  /** The id of the action; null for none, or where it is unknown. */
  action: z.string().nullable(),
});

/** Who has written. */
export type Writer = Pick<Caller, 'key' | 'credential'>;

/** What has happened, see `message`. */
export type WriteEvent = Pick<z.infer<typeof message>, 'kind' | 'action'>;

/** Applies an event: whatever began before it is not shared any more. */
type Apply = (writer: Writer, event: WriteEvent) => void;

/** The writes of callers at all replicas. Messages about those at others come a little later, or not at all. */
export class SharedWrites {
  readonly #replicas: Replicas;
  readonly #apply: Apply;
  readonly #channel: Channel;

  constructor(replicas: Replicas, apply: Apply) {
    this.#replicas = replicas;
    this.#apply = apply;
    this.#channel = replicas.open('writes', (content) => {
      const { data } = message.safeParse(content);
      if (data === undefined) return;
      const { credential, kind, action } = data;
      apply(createCaller(credential === null ? null : fromMessage(credential)), { kind, action });
    });
  }

  /** Whether callers may write at another replica. */
  get areElsewhere(): boolean {
    return this.#replicas.hasOthers;
  }

  /** Applies what has happened here, at the other replicas a little later. */
  announce(writer: Writer, event: WriteEvent): void {
    this.#apply(writer, event);
    if (!this.areElsewhere) return;
    const { credential } = writer;
    void this.#channel.send({ credential: credential === null ? null : toMessage(credential), ...event });
  }
}
