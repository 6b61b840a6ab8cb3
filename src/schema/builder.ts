import SchemaBuilder from '@pothos/core';
import type { Operation } from '../loaders/operation.ts';
import type { CallerActions } from '../upstream/actions/action-states.ts';
import type { Credential, HeaderReader } from '../upstream/http/authentication.ts';
import { DATE_TIME, JSON_SCALAR, SAFE_INT } from './types/scalars.ts';

/** What callers can know of their own session. */
export interface CallerSession {
  readonly credential: Credential | null;
  /** Null where the credential has no end, or none is known. */
  readonly expiresAt: string | null;
}

/** What every resolver gets: the one operation it belongs to. */
export interface SchemaContext {
  readonly operation: Operation;
  /** The caller's running actions. */
  readonly actions: CallerActions;
  readonly session: CallerSession;
  /** Reads a header of the caller's, for a service beside the API that has keys of its own. */
  readonly header: HeaderReader;
}

/** Types that the builder knows. */
export interface Types {
  Context: SchemaContext;
  DefaultFieldNullability: true;
  Scalars: {
    ID: { Input: string; Output: string };
    SafeInt: { Input: number; Output: number };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** Makes an empty Pothos builder with the facade's scalars. One a schema: builders remember every type. */
export function createBuilder() {
  const builder = new SchemaBuilder<Types>({});
  builder.addScalarType('SafeInt', SAFE_INT);
  builder.addScalarType('DateTime', DATE_TIME);
  builder.addScalarType('JSON', JSON_SCALAR);
  const query = builder.queryType({
    description: 'Reads of the management API. Every field is described with the action that it calls.',
  });
  return { builder, query };
}

/** The builder of one schema. */
export type Builder = ReturnType<typeof createBuilder>['builder'];
/** Its type `Query`. */
export type QueryRef = ReturnType<typeof createBuilder>['query'];
