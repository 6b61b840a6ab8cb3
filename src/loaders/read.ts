// Defines the function with which loaders and paging call the upstream.
import type { Batch } from '../telemetry/observer.ts';
import type { ActionCall } from '../upstream/http/action-client.ts';
import type { ReadResult } from './unavailable-includes.ts';

/**
 * Calls a reading action. Equal calls of one operation are sent upstream once.
 * @param batch The batch that needs the call, for telemetry; default: the operation needs it.
 */
export type Read = (call: ActionCall, batch?: Batch) => Promise<ReadResult>;
