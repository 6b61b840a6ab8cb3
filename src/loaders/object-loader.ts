// Fetches single objects of one resource, batched with DataLoader.
import DataLoader from 'dataloader';
import type { Action } from '../upstream/description/description.ts';
import { UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import { checkIds, type Ids } from './identity.ts';
import type { Read } from './read.ts';

/** The answer of `show` for one object. */
export interface ShowResult {
  readonly values: JsonObject;
  readonly meta: JsonObject;
  /** Set when requested associations could not be included. */
  readonly lacksIncludes?: true;
}

/** The associations that a field needs together with an object. */
export interface IncludeRequest {
  /** Associations whose values beyond id and label are needed, e.g. `author`, `shelf__room`. */
  readonly includes: readonly string[];
  /** Coordinate of the field for warnings, e.g. `Query.book`. */
  readonly coordinate: string;
}

/** Fetches objects of one resource by their ids, each at most once in an operation. */
export interface ObjectLoader {
  /** @param request Requests for the same object in the same tick are merged into one call. */
  load(ids: Ids, request: IncludeRequest): Promise<ShowResult>;
  /** Adds an object that another answer contained completely, so that it is not fetched. */
  prime(ids: Ids, shown: ShowResult): void;
}

const keyOf = (ids: Ids): string => JSON.stringify(ids);

/**
 * Creates the loader of a resource's objects for one operation.
 * @param onMissingIncludes Called with the coordinate of each field whose associations could not be included.
 */
export function createObjectLoader(
  show: Action,
  read: Read,
  onMissingIncludes: (coordinate: string) => void,
): ObjectLoader {
  const includesByKey = new Map<string, Set<string>>();

  async function loadOne(ids: Ids): Promise<ShowResult> {
    const includes = [...(includesByKey.get(keyOf(ids)) ?? [])].sort().join(',');
    const meta = includes !== '' && show.metaInput.has('includes') ? { includes } : {};
    const result = await read({ action: show, path: checkIds(ids), input: {}, meta });
    if (!isObject(result.output)) {
      throw new UpstreamProtocolError('The management API answered something other than one object.', {
        action: show.scope,
      });
    }
    const { output: values, meta: objectMeta, lacksIncludes } = result;
    return { values, meta: objectMeta, ...(lacksIncludes ? { lacksIncludes } : {}) };
  }

  // The upstream answers one object per call. Batching merges the includes that different fields need of one object.
  const loader = new DataLoader<Ids, ShowResult, string>(
    (batch) => Promise.all(batch.map((ids) => loadOne(ids).catch(toError))),
    { cacheKeyFn: keyOf },
  );

  return {
    async load(ids, { includes, coordinate }) {
      const key = keyOf(ids);
      const merged = includesByKey.get(key) ?? new Set();
      for (const include of includes) merged.add(include);
      includesByKey.set(key, merged);
      const shown = await loader.load(ids);
      if (shown.lacksIncludes && includes.length > 0) onMissingIncludes(coordinate);
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
