// Remembers the orders of lists that this replica or another one has seen recently.
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { CredentialNames } from '../../../replicas/credential-names.ts';
import type { Channel, Replicas } from '../../../replicas/replicas.ts';
import { atMost, expireAfter } from '../../../upstream/cache-bounds.ts';
import type { Credential } from '../../../upstream/http/authentication.ts';
import type { ListOrder } from './list-orders.ts';

/** The order of a list that was read from its start to its end. */
export interface SeenOrder {
  readonly order: ListOrder;
  /** The list's length then. A walk that serves fewer rows may have lost some. */
  readonly length: number;
}

/** The orders of lists as one caller sees them. */
export interface CallerOrders {
  get(list: string): SeenOrder | undefined;
  record(list: string, seen: SeenOrder): void;
}

/** How long a seen order is used, in ms. A row that gets a new name can change the order of its list. */
const TRUSTED_FOR = 60_000;

const message = z.object({
  key: z.string(),
  order: z.enum(['ascending', 'descending', 'none']),
  length: z.number().nonnegative(),
});

/** The orders of lists by caller, for all replicas. It contains no rows. */
export class SeenOrders implements Disposable {
  readonly #orders = new LRUCache<string, SeenOrder>({
    ...atMost(1000),
    ...expireAfter(TRUSTED_FOR),
  });
  readonly #names: CredentialNames;
  readonly #channel: Channel;

  /** @param api Distinguishes the API from others whose replicas share. */
  constructor(replicas: Replicas, api: string) {
    this.#names = new CredentialNames(replicas);
    this.#channel = replicas.open(JSON.stringify(['list orders', api]), (content) => {
      const { success, data } = message.safeParse(content);
      if (success) this.#orders.set(data.key, { order: data.order, length: data.length });
    });
  }

  /** The orders for one caller: another one may see other rows of a list. */
  ordersFor(credential: Credential | null): CallerOrders {
    const name = credential === null ? 'anonymous' : this.#names.nameOf(credential);
    return {
      get: (list) => this.#orders.get(`${name} ${list}`),
      record: (list, seen) => {
        const key = `${name} ${list}`;
        this.#orders.set(key, seen);
        this.#channel.send({ key, ...seen });
      },
    };
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }
}
