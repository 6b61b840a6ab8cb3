// Defines what answers the requests of browsers that are no operations.
import type { HttpRequester } from '../http/http-operation.ts';

/** One request that may be for a page. */
export interface PageRequest {
  readonly request: Request;
  readonly url: URL;
  readonly requester: HttpRequester;
}

/** Answers a request; null when it is for something else. Errors are answered as those of operations are. */
export type Page = (request: PageRequest) => Response | null | Promise<Response | null>;
