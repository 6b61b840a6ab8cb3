// Fetches single objects of one resource, batched with DataLoader.
import DataLoader from 'dataloader';
import type { Batch } from '../telemetry/observer.ts';
import type { Action } from '../upstream/description/description.ts';
import { UpstreamProtocolError } from '../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import { checkIds, type Ids } from './identity.ts';
import type { Read } from './read.ts';

/** The response of `show` for one object. */
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

/** What a loader reports. */
export interface LoaderListener {
  /** Called with the coordinate of each field whose associations could not be included. */
  onMissingIncludes(coordinate: string): void;
  /** Called when objects are fetched together. Returns the cause of their calls, and what is called at the end. */
  beginBatch(action: string, size: number): { readonly cause: Batch; end(): void };
}

const keyOf = (ids: Ids): string => JSON.stringify(ids);

/** Fetches objects of one resource by their ids, each at most once in an operation. A failed call fails its object only. */
export class ObjectLoader {
  readonly #show: Action;
  readonly #read: Read;
  readonly #listener: LoaderListener;
  readonly #includes = new Map<string, Set<string>>();
  // The upstream answers one object per call. Batching merges the includes that different fields need of one object.
  readonly #loader = new DataLoader<Ids, ShowResult, string>(
    async (batch) => {
      const { cause, end } = this.#listener.beginBatch(this.#show.scope, batch.length);
      const results = await Promise.all(
        batch.map((ids) => this.#fetch(ids, cause).catch((error: Error) => error)),
      );
      end();
      return results;
    },
    { cacheKeyFn: keyOf },
  );

  constructor(show: Action, read: Read, listener: LoaderListener) {
    this.#show = show;
    this.#read = read;
    this.#listener = listener;
  }

  /** @param request Requests for the same object in the same tick are merged into one call. */
  async load(ids: Ids, { includes, coordinate }: IncludeRequest): Promise<ShowResult> {
    const key = keyOf(ids);
    this.#includes.set(key, new Set([...(this.#includes.get(key) ?? []), ...includes]));
    const shown = await this.#loader.load(ids);
    if (shown.lacksIncludes && includes.length > 0) this.#listener.onMissingIncludes(coordinate);
    return shown;
  }

  /** Adds an object that another response contained completely, so that it is not fetched. */
  prime(ids: Ids, shown: ShowResult): void {
    this.#loader.prime(ids, shown);
  }

  async #fetch(ids: Ids, cause: Batch): Promise<ShowResult> {
    const action = this.#show;
    const includes = [...(this.#includes.get(keyOf(ids)) ?? [])].sort().join(',');
    const meta = includes !== '' && action.metaInput.has('includes') ? { includes } : {};
    const answer = await this.#read({ action, path: checkIds(ids), input: {}, meta }, cause);
    if (!isObject(answer.output)) {
      throw new UpstreamProtocolError('The management API answered something other than one object.', {
        action: action.scope,
      });
    }
    const { output: values, meta: objectMeta, lacksIncludes } = answer;
    return { values, meta: objectMeta, ...(lacksIncludes ? { lacksIncludes } : {}) };
  }
}
