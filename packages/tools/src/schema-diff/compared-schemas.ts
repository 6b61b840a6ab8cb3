// Reads the two schemas that `schema diff` compares.
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
} from 'graphql';
import {
  assembleSchema,
  builtInOverrides,
  DescriptionError,
  type Overrides,
  parseDescription,
  printSDL,
} from '../../../../src/index.ts';
import { openApi, readOverrides } from '../client/open-api.ts';
import { usageError } from '../command-line/exit-codes.ts';
import { type CallerConfig, withProfile } from '../login/use-profile.ts';
import { isObject, type JsonObject } from '../output/values.ts';
import { parseJson, readNamed } from '../request.ts';
import { WHO } from '../settings.ts';

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
  /** Assembles the newer schema with further names; null unless two descriptions are compared, of which one is earlier. */
  readonly assembleNamed: ((names: NonNullable<Overrides['names']>) => GraphQLSchema) | null;
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
  const result = text.trimStart().startsWith('{') ? parseJson(text, file) : null;
  const described = findDescription(result);
  if (described !== null) return readDescribed(config, described, file);
  const before = parseSchema(text, result, file);
  const after = await readSchema(config);
  // Introspection does not show which directives are applied.
  const shown = result === null ? after : buildClientSchema(introspectionFromSchema(after));
  return { before, after: shown, assembleNamed: null };
}

/** Both schemas are assembled alike, each from what the API describes to the caller. */
async function readDescribed(
  config: CallerConfig,
  described: JsonObject,
  file: string,
): Promise<ComparedSchemas> {
  const given = readOverrides(config.overrides);
  const earlier = parseEarlier(described, file);
  await using api = await openApi(config);
  const { description } = api.served;
  const overrides = given ?? builtInOverrides(description);
  const assembleNamed = (names: NonNullable<Overrides['names']>): GraphQLSchema =>
    assembleSchema(description, { ...overrides, names: { ...overrides.names, ...names } }).schema;
  const before = assembleSchema(earlier, given ?? builtInOverrides(earlier)).schema;
  return { before, after: assembleNamed({}), assembleNamed };
}

function parseEarlier(described: JsonObject, file: string): ReturnType<typeof parseDescription> {
  try {
    return parseDescription(described);
  } catch (error) {
    if (!(error instanceof DescriptionError)) throw error;
    throw usageError(`The file ${JSON.stringify(file)} is no valid description: ${error.message}`);
  }
}

/** Both callers have the same operator, which decides the types of both. */
async function readCallers(config: CallerConfig, other: CallerConfig): Promise<ComparedSchemas> {
  return { before: await readSchema(config), after: await readSchema(other), assembleNamed: null };
}

/** @throws CommandError when there is no such caller. */
function findOther(config: CallerConfig, caller: string): CallerConfig {
  const anonymous = { ...config, authorization: null, token: null, profile: null, signedIn: null };
  const as = WHO.find((name) => name === caller);
  if (as === 'anonymous' || (config.sandbox && as !== undefined)) return { ...anonymous, as };
  if (config.sandbox) throw usageError(`--with must be one of ${WHO.join(', ')} with --sandbox.`);
  return withProfile({ ...anonymous, profile: caller });
}

async function readSchema(config: CallerConfig): Promise<GraphQLSchema> {
  await using api = await openApi(config);
  return api.served.schema;
}

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
