// Does in the primary what one worker asks of it, so that the worker shares with the others.
import type { Channel, Replicas } from './replicas.ts';
import type { SharedByPrimary } from './worker-replicas.ts';

/** What the primary shares with a worker. */
export interface WorkerShare {
  readonly calls: SharedByPrimary;
  /** Ends the leases and channels of a worker that has ended. */
  close(): Promise<void>;
}

/**
 * Serves a worker.
 * @param member The worker's place among the replicas within the primary.
 * @param deliver Sends the worker a message of another one.
 */
export function serveWorker(
  member: Replicas,
  deliver: (channel: number, message: unknown) => void,
): WorkerShare {
  const channels = new Map<number, Channel>();
  const closeChannel = (channel: number): void => {
    channels.get(channel)?.close();
    channels.delete(channel);
  };
  return {
    calls: {
      claim: (name, duration) => member.claim(name, duration),
      release: (name) => member.release(name),
      async store(name, packed, keptFor) {
        await member.store(name, { packed }, keptFor);
      },
      async load(name) {
        const value = (await member.load(name)) as { readonly packed: string } | undefined;
        return value?.packed;
      },
      remove: (name) => member.remove(name),
      openChannel: (channel, name) =>
        void channels.set(
          channel,
          member.open(name, (message) => deliver(channel, message)),
        ),
      send: (channel, message) => void channels.get(channel)?.send(message),
      closeChannel,
    },
    async close() {
      for (const channel of channels.keys()) closeChannel(channel);
      await member.close();
    },
  };
}
