// Defines the function with which loaders and paging call the upstream.
import type { ActionCall } from '../upstream/http/action-client.ts';
import type { ReadResult } from './unavailable-includes.ts';

/** Calls a reading action. Equal calls of one operation are sent upstream once. */
export type Read = (call: ActionCall) => Promise<ReadResult>;
