// The commands `schema print`, `schema json` and `schema diff`: the schemas of callers.

import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
} from 'graphql';
import { builtInOverrides } from '../../facade/built-in-overrides.ts';
import { assemblySteps } from '../../schema/assemble.ts';
import { subgraphSDL } from '../../schema/federation/subgraph-sdl.ts';
import { printSDL } from '../../schema/print-schema.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import { isObject } from '../../upstream/json.ts';
import { runAtOnce } from '../../upstream/steps.ts';
import { EXIT_CODES, usageError } from '../exit-codes.ts';
import { note, write } from '../output.ts';
import { type CallerConfig, WHO } from './caller-settings.ts';
import { withProfile } from './login/use-profile.ts';
import { openApi } from './open-api.ts';
import { type Format, printRows, printValue } from './output/formats.ts';
import { parseJson, readNamed } from './request.ts';

/** What clients must expect of a change, in words, with the order in which changes are listed. */
const EFFECTS = {
  [CriticalityLevel.Breaking]: { effect: 'breaking', order: 0 },
  [CriticalityLevel.Dangerous]: { effect: 'dangerous', order: 1 },
  [CriticalityLevel.NonBreaking]: { effect: 'safe', order: 2 },
} as const;

/** Prints the sorted schema, so that two outputs can be compared. @param federation Whether to print it as a subgraph. */
export async function printDefinitions(config: CallerConfig, federation: boolean): Promise<number> {
  await using api = await openApi(config, { federation });
  const { schema } = api.served;
  await write((federation ? subgraphSDL(schema) : printSDL(schema)).trimEnd());
  return EXIT_CODES.ok;
}

/** Prints the result of introspection. */
export async function printIntrospection(config: CallerConfig): Promise<number> {
  const schema = buildSchema(await readDefinitions(config));
  await printValue({ data: introspectionFromSchema(schema) }, 'json');
  return EXIT_CODES.ok;
}

/** What the caller's schema is compared with: exactly one of the two. */
export interface Compared {
  /** A file of `schema print` or `schema json`, which is the older schema. */
  readonly file: string | null;
  /** Another caller, whose schema is taken as the newer one: `anonymous`, a caller of the sandbox, or the name of a profile. */
  readonly caller: string | null;
}

/** Lists the changes since a printed schema, or those that a document of the caller meets as another caller. */
export async function diffSchema(
  config: CallerConfig,
  { file, caller }: Compared,
  format: Format,
): Promise<number> {
  if (file !== null && caller === null) return printChanges(await changesSince(config, file), format);
  if (file === null && caller !== null)
    return printChanges(await changesBetween(config, findOther(config, caller)), format);
  throw usageError('Give the file of an earlier schema, or another caller as --with CALLER.');
}

async function changesSince(config: CallerConfig, file: string): Promise<Change[]> {
  const text = readNamed(file);
  const after = buildSchema(await readDefinitions(config));
  return diff(
    parseSchema(text, file),
    // Introspection does not tell which directives are applied.
    isJson(text) ? buildClientSchema(introspectionFromSchema(after)) : after,
  );
}

/** Compares as on a server whose operator is the first caller, because that decides the types of both. */
async function changesBetween(config: CallerConfig, other: CallerConfig): Promise<Change[]> {
  const own = await readServed(config);
  const theirs = await readServed(other);
  const assemble = ({ description, sessionUser }: ServedSchema): GraphQLSchema => {
    const overrides = config.overrides ?? builtInOverrides(description);
    const options = { overrides, types: 'reachable', operator: own.plan, sessionUser } as const;
    return buildSchema(printSDL(runAtOnce(assemblySteps(description, options)).schema));
  };
  return diff(assemble(own), assemble(theirs));
}

/** @throws CommandError when there is no such caller. */
function findOther(config: CallerConfig, caller: string): CallerConfig {
  const anonymous = { ...config, authorization: null, token: null, profile: null, signedIn: null };
  const as = WHO.find((name) => name === caller);
  if (as === 'anonymous' || (config.sandbox && as !== undefined)) return { ...anonymous, as };
  if (config.sandbox) throw usageError(`--with must be one of ${WHO.join(', ')} with --sandbox.`);
  return withProfile({ ...anonymous, profile: caller });
}

async function printChanges(changes: readonly Change[], format: Format): Promise<number> {
  const rows = changes.map(toRow).sort((one, other) => one.order - other.order);
  const count = (wanted: string): number => rows.filter(({ effect }) => effect === wanted).length;
  await printRows(
    rows.map(({ order: _order, ...row }) => row),
    format,
  );
  const breaking = count('breaking');
  note(`${breaking} breaking, ${count('dangerous')} dangerous and ${count('safe')} safe changes.`);
  return breaking > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

function toRow({ criticality, path, message }: Change) {
  const { effect, order } = EFFECTS[criticality.level];
  return { effect, at: path ?? '', change: message, order };
}

async function readServed(config: CallerConfig): Promise<ServedSchema> {
  await using api = await openApi(config);
  return api.served;
}

async function readDefinitions(config: CallerConfig): Promise<string> {
  return printSDL((await readServed(config)).schema);
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{');

/** Reads the schema definition language, or the result of introspection with or without `data` around it. */
function parseSchema(text: string, file: string): GraphQLSchema {
  try {
    if (!isJson(text)) return buildSchema(text);
    const result = parseJson(text, file);
    const data = isObject(result) && isObject(result['data']) ? result['data'] : result;
    return buildClientSchema(data as IntrospectionQuery);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : error;
    throw usageError(
      `The file ${JSON.stringify(file)} is neither SDL nor the result of introspection: ${reason}`,
    );
  }
}
