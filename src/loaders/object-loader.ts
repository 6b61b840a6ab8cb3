import DataLoader from 'dataloader';
import type { Action } from '../upstream/description/description.ts';
import { UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import { checkIds, type Ids } from './identity.ts';
import type { Read } from './read.ts';

/** What one object's `show` answered. */
export interface ShowResult {
  readonly values: JsonObject;
  readonly meta: JsonObject;
  /** Associations that were wanted with it could not be included. */
  readonly lacksIncludes?: true;
}

/** What a field wants with an object. */
export interface IncludeRequest {
  /** Associations of which more is read than comes with their holder, e.g. `author`, `shelf__room`. */
  readonly includes: readonly string[];
  /** Coordinate of the field, e.g. `Query.book`, which warnings name. */
  readonly coordinate: string;
}

/** Fetches objects of one resource by their ids; each at most once in an operation. */
export interface ObjectLoader {
  /** @param wanted Those of all fields that load the object in the same tick are included together. */
  load(ids: Ids, wanted: IncludeRequest): Promise<ShowResult>;
  /** Hands over an object that came whole in another answer. */
  prime(ids: Ids, shown: ShowResult): void;
}

const keyOf = (ids: Ids): string => JSON.stringify(ids);

/**
 * Makes the loader over a resource's `show` action, for one operation.
 * @param onLack Called with the coordinate of each field whose associations could not be included.
 */
export function createObjectLoader(
  show: Action,
  read: Read,
  onLack: (coordinate: string) => void,
): ObjectLoader {
  const includesByKey = new Map<string, Set<string>>();

  async function loadOne(ids: Ids): Promise<ShowResult> {
    const includes = [...(includesByKey.get(keyOf(ids)) ?? [])].sort().join(',');
    const meta = includes !== '' && show.metaInput.has('includes') ? { includes } : {};
    const result = await read({ action: show, path: checkIds(ids), input: {}, meta });
    if (!isObject(result.output)) {
      throw new UpstreamProtocolError('A show answered something else than one object.', {
        action: show.scope,
      });
    }
    const { output: values, meta: own, lacksIncludes } = result;
    return { values, meta: own, ...(lacksIncludes ? { lacksIncludes } : {}) };
  }

  // The upstream answers one object a call: a batch is where askers of the same object, and their includes, meet.
  const loader = new DataLoader<Ids, ShowResult, string>(
    (batch) => Promise.all(batch.map((ids) => loadOne(ids).catch(toError))),
    { cacheKeyFn: keyOf },
  );

  return {
    async load(ids, { includes, coordinate }) {
      const key = keyOf(ids);
      const together = includesByKey.get(key) ?? new Set();
      for (const include of includes) together.add(include);
      includesByKey.set(key, together);
      const shown = await loader.load(ids);
      if (shown.lacksIncludes && includes.length > 0) onLack(coordinate);
      return shown;
    },
    prime(ids, shown) {
      loader.prime(ids, shown);
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
