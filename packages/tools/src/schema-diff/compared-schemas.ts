// Reads the two schemas that `schema diff` compares.
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
} from 'graphql';
import { builtInOverrides } from '../../../../src/facade/built-in-overrides.ts';
import { assemble } from '../../../../src/schema/assemble.ts';
import type { Overrides } from '../../../../src/schema/model/overrides.ts';
import { printSDL } from '../../../../src/schema/print-schema.ts';
import { SchemaRegistry, type ServedSchema } from '../../../../src/schema/registry.ts';
import { extendDescription } from '../../../../src/schema/rights/extend-description.ts';
import { VisibleParts } from '../../../../src/schema/rights/visible-parts.ts';
import type { Description } from '../../../../src/upstream/description/description.ts';
import { isObject, type JsonObject } from '../../../../src/upstream/json.ts';
import { type CallerConfig, WHO } from '../caller-settings.ts';
import { usageError } from '../command-line/exit-codes.ts';
import { withProfile } from '../login/use-profile.ts';
import { openApi } from '../open-api.ts';
import { parseJson, readNamed } from '../request.ts';

/** What the caller's schema is compared with: exactly one of the two. */
export interface Compared {
  /** A file of `schema print` or `schema json`, or with an earlier description, which is the older schema. */
  readonly file: string | null;
  /** Another caller, whose schema is taken as the newer one: `anonymous`, a caller of the sandbox, or the name of a profile. */
  readonly caller: string | null;
}

/** Two schemas to compare. */
export interface ComparedSchemas {
  readonly before: GraphQLSchema;
  readonly after: GraphQLSchema;
  /** Whether only the definitions of the older one are known, and not its description. */
  readonly isPrinted: boolean;
  /** Assembles the newer schema with type names by resource path; null where overrides do not part the two. */
  readonly assembleNamed: ((typeNames: Readonly<Record<string, string>>) => GraphQLSchema) | null;
}

/** Reads both schemas. @throws CommandError when what they are compared with is wrong. */
export async function readSchemas(
  config: CallerConfig,
  { file, caller }: Compared,
): Promise<ComparedSchemas> {
  if (file !== null && caller === null) return readEarlier(config, file);
  if (file === null && caller !== null) return readCallers(config, findOther(config, caller));
  throw usageError('Give the file of an earlier schema, or another caller as --with CALLER.');
}

async function readEarlier(config: CallerConfig, file: string): Promise<ComparedSchemas> {
  const text = readNamed(file);
  const result = isJson(text) ? parseJson(text, file) : null;
  const described = findDescription(result);
  const parsed = described === null ? parseSchema(text, result, file) : null;
  await using api = await openApi(config);
  const { description, schema } = api.served;
  const overridesOf = (of: Description): Overrides => config.overrides ?? builtInOverrides(of);
  const assembleNamed: ComparedSchemas['assembleNamed'] = (typeNames) => {
    const basis = extendDescription(api.base.description, description);
    const own = overridesOf(basis);
    const overrides = { ...own, typeNames: { ...own.typeNames, ...typeNames } };
    return assemble(basis, { overrides }).schemaWith(new VisibleParts(basis, description));
  };
  if (described !== null) {
    const registry = new SchemaRegistry({ overridesFor: overridesOf });
    const earlier = { fingerprint: file, length: text.length, read: () => described };
    const part = api.signInAdvice === null ? 'whole' : 'open';
    const before = await registry.schemaFor(earlier, part, api.base === api.served ? null : api.base);
    return { before: before.schema, after: schema, isPrinted: false, assembleNamed };
  }
  // Introspection does not show which directives are applied.
  const after = result === null ? schema : buildClientSchema(introspectionFromSchema(schema));
  return { before: parsed ?? schema, after, isPrinted: true, assembleNamed };
}

/** Both callers have the same operator, which decides the types of both. */
async function readCallers(config: CallerConfig, other: CallerConfig): Promise<ComparedSchemas> {
  const [before, after] = [await readServed(config), await readServed(other)];
  return { before: before.schema, after: after.schema, isPrinted: false, assembleNamed: null };
}

/** @throws CommandError when there is no such caller. */
function findOther(config: CallerConfig, caller: string): CallerConfig {
  const anonymous = { ...config, authorization: null, token: null, profile: null, signedIn: null };
  const as = WHO.find((name) => name === caller);
  if (as === 'anonymous' || (config.sandbox && as !== undefined)) return { ...anonymous, as };
  if (config.sandbox) throw usageError(`--with must be one of ${WHO.join(', ')} with --sandbox.`);
  return withProfile({ ...anonymous, profile: caller });
}

async function readServed(config: CallerConfig): Promise<ServedSchema> {
  await using api = await openApi(config);
  return api.served;
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{');

/** The description in an API's answer to OPTIONS, with or without the envelope around it; null for anything else. */
function findDescription(result: unknown): JsonObject | null {
  const answer = isObject(result) && isObject(result['response']) ? result['response'] : result;
  return isObject(answer) && isObject(answer['resources']) ? answer : null;
}

/** Reads the schema definition language, or the result of introspection with or without `data` around it. */
function parseSchema(text: string, result: unknown, file: string): GraphQLSchema {
  try {
    if (result === null) return buildSchema(text);
    const data = isObject(result) && isObject(result['data']) ? result['data'] : result;
    return buildClientSchema(data as IntrospectionQuery);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : error;
    throw usageError(
      `The file ${JSON.stringify(file)} is neither SDL, the result of introspection nor a description: ${reason}`,
    );
  }
}

/** The definitions of a schema, without what only the process knows that has assembled it. */
export const definitionsOf = (schema: GraphQLSchema): GraphQLSchema => buildSchema(printSDL(schema));
