// Reads the two schemas that `schema diff` compares.
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
} from 'graphql';
import { printSDL } from '../../../../src/index.ts';
import { openApi } from '../client/open-api.ts';
import { usageError } from '../command-line/exit-codes.ts';
import { type CallerConfig, withProfile } from '../login/use-profile.ts';
import { isObject } from '../output/values.ts';
import { parseJson, readNamed } from '../request.ts';
import { WHO } from '../settings.ts';

/** Two schemas to compare. */
export interface ComparedSchemas {
  readonly before: GraphQLSchema;
  readonly after: GraphQLSchema;
}

/**
 * Reads both schemas: that of the caller and another one.
 * @param file A file of `schema print` or `schema json`, which is the older schema.
 * @param caller Another caller, whose schema is taken as the newer one: `anonymous`, a caller of the sandbox, or the name of a profile.
 * @throws CommandError unless exactly one of the two is given and can be read.
 */
export async function readSchemas(
  config: CallerConfig,
  file: string | null,
  caller: string | null,
): Promise<ComparedSchemas> {
  if (file !== null && caller === null) return readEarlier(config, file);
  if (file !== null || caller === null)
    throw usageError('Give the file of an earlier schema, or another caller as --with CALLER.');
  // Both callers have the same operator, which decides the types of both.
  const other = findOther(config, caller);
  return { before: await readSchema(config), after: await readSchema(other) };
}

async function readEarlier(config: CallerConfig, file: string): Promise<ComparedSchemas> {
  const text = readNamed(file);
  const result = text.trimStart().startsWith('{') ? parseJson(text, file) : null;
  const before = parseSchema(text, result, file);
  const after = await readSchema(config);
  // Introspection does not show which directives are applied.
  return { before, after: result === null ? after : buildClientSchema(introspectionFromSchema(after)) };
}

/** @throws CommandError when there is no such caller. */
function findOther(config: CallerConfig, caller: string): CallerConfig {
  const anonymous = { ...config, authorization: null, token: null, profile: null, signedIn: null };
  const as = WHO.find((name) => name === caller);
  if (as === 'anonymous' || (config.sandbox && as !== undefined)) return { ...anonymous, as };
  if (config.sandbox) throw usageError(`--with must be one of ${WHO.join(', ')} with --sandbox.`);
  return withProfile({ ...anonymous, profile: caller });
}

/** The definitions of a caller's schema, without what only the process knows that has assembled it. */
async function readSchema(config: CallerConfig): Promise<GraphQLSchema> {
  await using api = await openApi(config);
  return buildSchema(printSDL(api.served.schema));
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
      `The file ${JSON.stringify(file)} is neither SDL nor the result of introspection: ${reason}`,
    );
  }
}
