// Sends the other replicas what clients spend.
import * as z from 'zod';
import { type Channel, openChannel, type Replicas } from '../../sharing/replicas.ts';

/** Time between two messages. Milliseconds. */
const INTERVAL = 1_000;

const message = z.array(z.tuple([z.string(), z.number().nonnegative()]));

/** What identifies a credential. The value is a secret. */
interface Named {
  readonly header: string;
  readonly value: string;
}

/** What clients spend at this replica and at the others. Messages that are lost are not counted. */
export class SharedSpending {
  readonly #replicas: Replicas;
  readonly #channel: Channel;
  readonly #names = new WeakMap<Named, string>();
  readonly #unsent = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** @param onSpent Called with what a client has spent at another replica. */
  constructor(replicas: Replicas, onSpent: (client: string, points: number) => void) {
    this.#replicas = replicas;
    this.#channel = openChannel(replicas, 'spending', message, (spent) => {
      for (const [client, points] of spent) onSpent(client, points);
    });
  }

  /** The name of a credential, the same in each replica. Nobody can guess a credential from its name. */
  nameOf(credential: Named): string {
    let name = this.#names.get(credential);
    if (name === undefined) {
      name = this.#replicas.digest(`${credential.header} ${credential.value}`);
      this.#names.set(credential, name);
    }
    return name;
  }

  add(client: string, points: number): void {
    this.#unsent.set(client, (this.#unsent.get(client) ?? 0) + points);
    this.#timer ??= setTimeout(() => this.#send(), INTERVAL).unref();
  }

  #send(): void {
    this.#timer = null;
    void this.#channel.send([...this.#unsent]);
    this.#unsent.clear();
  }
}
