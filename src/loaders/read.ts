// Defines the functions with which loaders and paging call the upstream.
import type { Batch } from '../telemetry/observer.ts';
import type { ActionCall } from '../upstream/http/action-client.ts';
import type { CallReason } from './calls/call-reason.ts';
import type { ReadResult } from './unavailable-includes.ts';

/** Calls a reading action. Equal calls of one operation are sent upstream once. */
export type Read = (call: ActionCall) => Promise<ReadResult>;

/**
 * The same with the reason for each call.
 * @param batch The batch that needs the call, for telemetry; default: the operation needs it.
 */
export type ReasonedRead = (call: ActionCall, reason: CallReason, batch?: Batch) => Promise<ReadResult>;
