// Defines errors that end a request early, and the checks of callers that throw them.
import { mayCall } from '../domain/access.ts';
import type { Action, Caller } from '../engine/definition.ts';

/** An error that ends a request early, with its HTTP status. */
export class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws HttpError with status 401 when the action needs a credential and the request has none. */
export function requireCaller(action: Action, caller: Caller | null): void {
  if (action.auth && !caller) throw new HttpError(401, 'This action requires authentication');
}

/** @throws HttpError with status 403 when the caller may not call the action. */
export function requirePermission(action: Action, caller: Caller | null): void {
  if (!mayCall(caller, action)) throw new HttpError(403, 'Access denied. Insufficient permissions.');
}
