// Creates the Pothos builder, and declares the context of resolvers and the services that use the builder.
import SchemaBuilder from '@pothos/core';
import { type GraphQLResolveInfo, specifiedScalarTypes } from 'graphql';
import { WARNING_CODES } from '../loaders/errors.ts';
import type { Operation } from '../loaders/operation.ts';
import type { CallerActions } from '../upstream/actions/watcher.ts';
import type { Caller, HeaderReader } from '../upstream/http/caller.ts';
import type { JsonObject, LongInteger } from '../upstream/json.ts';
import type { IdReader } from './types/ids.ts';
import type { ObjectTypes } from './types/objects.ts';
import type { createUserErrorType } from './types/payloads.ts';
import { DATE_TIME, JSON_SCALAR, SAFE_INT } from './types/scalars.ts';

/** The session of the caller. */
export interface CallerSession {
  readonly caller: Pick<Caller, 'credential'>;
  /** Null if the credential does not expire or its expiry time is unknown. */
  readonly expiresAt: string | null;
}

/** The context of all resolvers of one operation. */
export interface SchemaContext {
  readonly operation: Operation;
  /** Watches the caller's running actions. */
  readonly actions: CallerActions;
  readonly session: CallerSession;
  /** Reads a request header, for extensions that have their own API keys. */
  readonly header: HeaderReader;
}

/** A resolver. Its parent and argument types are known only from the description. */
export type Resolve = (
  parent: unknown,
  args: JsonObject,
  context: SchemaContext,
  info: GraphQLResolveInfo,
) => unknown;

/** Type parameters of the builder. The declarations of other files name it. */
export interface Types {
  Context: SchemaContext;
  DefaultFieldNullability: true;
  Scalars: {
    ID: { Input: string; Output: string };
    SafeInt: { Input: number; Output: number };
    /** Exists in schemas that use it. */
    BigInt: { Input: number | LongInteger; Output: string };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** A builder for one schema. */
export type Builder = PothosSchemaTypes.SchemaBuilder<PothosSchemaTypes.ExtendDefaultTypes<Types>>;

const WARNINGS = Object.entries(WARNING_CODES).map(([code, text]) => `- \`${code}\`: ${text}`);

/** Creates a Pothos builder with the custom scalars and `Query`. Each schema needs a new one, because builders keep all types. */
export function createBuilder() {
  const builder: Builder = new SchemaBuilder<Types>({});
  // From now on, Pothos reads each field when it is added, instead of all fields when the schema is built.
  builder.configStore.prepareForBuild();
  for (const scalar of specifiedScalarTypes) builder.addScalarType(scalar.name as 'ID', scalar);
  builder.addScalarType('SafeInt', SAFE_INT);
  builder.addScalarType('DateTime', DATE_TIME);
  builder.addScalarType('JSON', JSON_SCALAR);
  const query = builder.queryType({
    description: `The query root, for reading data from the management API. The description of a field names the API action that the field calls.\n\nThe codes of \`extensions.warnings\`:\n${WARNINGS.join('\n')}`,
  });
  return { builder, query };
}

/** Adds fields to each schema that do not come from a description. */
export interface SchemaExtension {
  /** Names of its types and fields. An upstream name that equals one of them gets the suffix `Resource`. */
  readonly names: {
    readonly types: readonly string[];
    readonly queries: readonly string[];
    readonly mutations: readonly string[];
  };
  /** Adds the types and fields. Called once for each schema. */
  add(parts: ExtensionParts): void;
}

/** The parts of the schema that an extension can use. */
export interface ExtensionParts {
  readonly builder: Builder;
  /** The type `Query`. */
  readonly query: ReturnType<typeof createBuilder>['query'];
  /** Declares the type of user errors once. A schema without writes has none. */
  readonly userErrorOf: (builder: Builder) => ReturnType<typeof createUserErrorType>;
  readonly types: ObjectTypes;
  readonly ids: IdReader;
}
