// Defines the functions with which loaders and paging call the upstream.
import type { ActionCall } from '../upstream/http/action-client.ts';
import type { CallReason } from './calls/call-reason.ts';
import type { ReadResult } from './unavailable-includes.ts';

/** Calls a reading action. Equal calls of one operation are sent upstream once. */
export type Read = (call: ActionCall) => Promise<ReadResult>;

/** The same with the reason for each call. */
export type ReasonedRead = (call: ActionCall, reason: CallReason) => Promise<ReadResult>;
