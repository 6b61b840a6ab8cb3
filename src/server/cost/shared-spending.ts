// Sends the other replicas what clients spend.
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { type Channel, openChannel, type Replicas } from '../../sharing/replicas.ts';
import { atMost } from '../../upstream/cache-bounds.ts';

/** Time between two messages. Milliseconds. */
const INTERVAL = 1_000;
/** The part of a budget that a client must have spent to be in a message. */
const SMALLEST_PART = 0.001;
/** Clients whose spending waits to be sent. */
const MAX_CLIENTS = 50_000;

const message = z.array(z.tuple([z.string(), z.number().nonnegative()]));

/** What clients spend at this replica and at the others. Messages that are lost are not counted. */
export class SharedSpending {
  /** The names of credentials, as in each replica. */
  readonly names: CredentialNames;
  readonly #channel: Channel;
  readonly #small = new LRUCache<string, number>(atMost(MAX_CLIENTS));
  readonly #unsent = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** @param onSpent Called with what a client has spent at another replica. */
  constructor(replicas: Replicas, onSpent: (client: string, points: number) => void) {
    this.names = new CredentialNames(replicas);
    this.#channel = openChannel(replicas, 'spending', message, (spent) => {
      for (const [client, points] of spent) onSpent(client, points);
    });
  }

  /** @param budget What the client may spend in a minute. */
  add(client: string, points: number, budget: number): void {
    const sum = (this.#small.get(client) ?? 0) + points;
    if (sum < budget * SMALLEST_PART) {
      this.#small.set(client, sum);
      return;
    }
    this.#small.delete(client);
    this.#unsent.set(client, (this.#unsent.get(client) ?? 0) + sum);
    this.#timer ??= setTimeout(() => this.#send(), INTERVAL).unref();
  }

  #send(): void {
    this.#timer = null;
    void this.#channel.send([...this.#unsent]);
    this.#unsent.clear();
  }
}

/** What identifies a credential. The value is a secret. */
interface Named {
  readonly header: string;
  readonly value: string;
}

/** The names of credentials, the same in each replica. Nobody can guess a credential from its name. */
class CredentialNames {
  readonly #names = new WeakMap<Named, string>();
  readonly #replicas: Pick<Replicas, 'digest'>;

  constructor(replicas: Pick<Replicas, 'digest'>) {
    this.#replicas = replicas;
  }

  nameOf(credential: Named): string {
    let name = this.#names.get(credential);
    if (name === undefined) {
      name = this.#replicas.digest(`${credential.header} ${credential.value}`);
      this.#names.set(credential, name);
    }
    return name;
  }
}
