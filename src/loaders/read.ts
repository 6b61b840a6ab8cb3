// The function by which loaders and paging call the upstream.
import type { ActionCall } from '../upstream/http/action-client.ts';
import type { ReadResult } from './unavailable-includes.ts';

/** Calls a reading action. The same call made twice in one operation goes upstream once. */
export type Read = (call: ActionCall) => Promise<ReadResult>;
