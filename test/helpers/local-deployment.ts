// Joins several replicas within one process, which share without Redis.
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import type { Replicas } from '../../src/sharing/replicas.ts';

/** What replicas within one process share. Messages are copied and arrive in a later turn, as those over a network do. */
export class LocalDeployment {
  readonly #shared = joinAlone();
  /** Passes the id of the sender and the JSON of a message to the listeners of a channel. */
  readonly #channels = new EventEmitter().setMaxListeners(0);

  join(): Replicas {
    const id = randomUUID();
    const channels = this.#channels;
    return {
      ...this.#shared,
      hasOthers: true,
      open(name, onMessage) {
        const receive = (from: string, text: string): void => {
          if (from !== id) onMessage(JSON.parse(text));
        };
        channels.on(name, receive);
        return {
          async send(message) {
            setImmediate((text) => channels.emit(name, id, text), JSON.stringify(message));
          },
          close: () => void channels.off(name, receive),
        };
      },
    };
  }
}
