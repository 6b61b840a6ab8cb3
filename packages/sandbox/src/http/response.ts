// Creates the responses of the sandbox and their envelopes.
import type { Errors } from '../engine/definition.ts';

/** A response. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The scope of the action that was called. Null: none. */
  readonly scope: string | null;
}

/** Creates a response with the envelope of a success. */
export function successResponse(status: number, response: unknown): Response {
  return jsonResponse(status, JSON.stringify({ status: true, response, message: null, errors: null }));
}

/** Creates the answer to OPTIONS. Only its envelope has the version of the protocol. */
export function descriptionResponse(response: unknown): Response {
  return jsonResponse(
    200,
    JSON.stringify({ version: '2.0', status: true, response, message: null, errors: null }),
  );
}

/** Creates a response with the envelope of a failure. */
export function failureResponse(status: number, message: string | null, errors: Errors | null): Response {
  return jsonResponse(status, JSON.stringify({ status: false, response: null, message, errors }));
}

/** Creates a response with a JSON body. */
export function jsonResponse(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'application/json;charset=utf-8' }, body, scope: null };
}

/** Creates a response with a plain text body. */
export function textResponse(status: number, body: string): Response {
  return { status, headers: { 'content-type': 'text/plain;charset=utf-8' }, body, scope: null };
}
