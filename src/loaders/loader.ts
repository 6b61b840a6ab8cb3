import DataLoader from 'dataloader';
import type { Action } from '../upstream/description.ts';
import { UpstreamProtocolError } from '../upstream/errors.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import { checkIds, type Ids } from './identity.ts';
import type { Read } from './operation.ts';

/** What one object's `show` answered. */
export interface Shown {
  readonly values: JsonObject;
  readonly meta: JsonObject;
}

/** Fetches objects of one resource by their ids; each at most once in an operation. */
export interface ObjectLoader {
  /**
   * @param includes Associations that the selection wants with the object, e.g. `shelf__room`. Those of all who
   *   ask in the same tick are fetched together.
   */
  load(ids: Ids, includes: readonly string[]): Promise<Shown>;
  /** Hands over an object that came whole in another answer. */
  prime(ids: Ids, shown: Shown): void;
}

const keyOf = (ids: Ids): string => JSON.stringify(ids);

/** Makes the loader over a resource's `show` action, for one operation. */
export function createObjectLoader(show: Action, read: Read): ObjectLoader {
  const includesByKey = new Map<string, Set<string>>();

  async function loadOne(ids: Ids): Promise<Shown> {
    const includes = [...(includesByKey.get(keyOf(ids)) ?? [])].sort().join(',');
    const meta = includes !== '' && show.metaInput.has('includes') ? { includes } : {};
    const result = await read({ action: show, path: checkIds(ids), input: {}, meta });
    if (!isObject(result.output)) {
      throw new UpstreamProtocolError('A show answered something else than one object.', {
        action: show.scope,
      });
    }
    return { values: result.output, meta: result.meta };
  }

  // The upstream answers one object a call: a batch is where askers of the same object, and their includes, meet.
  const loader = new DataLoader<Ids, Shown, string>(
    (batch) => Promise.all(batch.map((ids) => loadOne(ids).catch(toError))),
    { cacheKeyFn: keyOf },
  );

  return {
    load(ids, includes) {
      const key = keyOf(ids);
      const wanted = includesByKey.get(key) ?? new Set();
      for (const include of includes) wanted.add(include);
      includesByKey.set(key, wanted);
      return loader.load(ids);
    },
    prime(ids, shown) {
      loader.prime(ids, shown);
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
