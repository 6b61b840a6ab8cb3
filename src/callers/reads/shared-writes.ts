// Sends the other replicas which callers have written, so that they drop what they have kept for them.
import * as z from 'zod';
import { openChannel, type Replicas } from '../../sharing/replicas.ts';
import { type Caller, createCaller } from '../../upstream/http/caller.ts';
import { credentialMessage, fromMessage, toMessage } from '../credential-message.ts';

/** What has happened. */
export interface WriteEvent {
  /** A write has ended; it has started an action, which may be running now; such an action has ended. */
  readonly kind: 'written' | 'started' | 'ended';
  /** The id of the action; null for none, or where it is unknown. */
  readonly action: string | null;
  /** The scope of the action that was called; null at an end, or from a replica that does not say. */
  readonly scope: string | null;
}

const message = z.object({
  /** Null: an anonymous caller. */
  credential: credentialMessage.nullable(),
  kind: z.enum(['written', 'started', 'ended']),
  action: z.string().nullable(),
  scope: z.string().nullable().default(null),
});

/** Who has written. */
export type Writer = Pick<Caller, 'key' | 'credential'>;

/**
 * Creates a function that sends events of this replica to the others. A message may arrive late, or be lost.
 * @param apply Called with what has happened at another replica: whatever began before it is not shared any more.
 */
export function shareWrites(
  replicas: Replicas,
  apply: (writer: Writer, event: WriteEvent) => void,
): (writer: Writer, event: WriteEvent) => void {
  const channel = openChannel(replicas, 'writes', message, ({ credential, ...event }) =>
    apply(createCaller(credential === null ? null : fromMessage(credential)), event),
  );
  return ({ credential }, event) =>
    void channel.send({ credential: credential === null ? null : toMessage(credential), ...event });
}
