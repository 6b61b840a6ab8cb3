// The commands `schema print`, `schema json` and `schema diff`: a caller's schema.
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  introspectionFromSchema,
} from 'graphql';
import { isRecord } from '../../config/given-settings.ts';
import { subgraphSDL } from '../../schema/federation/subgraph-sdl.ts';
import { printSDL } from '../../schema/print-schema.ts';
import { EXIT_CODES, usageError } from '../exit-codes.ts';
import type { CallerConfig } from './caller-settings.ts';
import { openApi } from './open-api.ts';
import { type Format, note, printRows, printValue, write } from './output.ts';
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

/** Lists the changes since a printed schema. */
export async function diffSchema(config: CallerConfig, file: string, format: Format): Promise<number> {
  const text = readNamed(file);
  const after = buildSchema(await readDefinitions(config));
  const changes = await diff(
    parseSchema(text, file),
    // Introspection does not tell which directives are applied.
    isJson(text) ? buildClientSchema(introspectionFromSchema(after)) : after,
  );
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

async function readDefinitions(config: CallerConfig): Promise<string> {
  await using api = await openApi(config);
  return printSDL(api.served.schema);
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{');

/** Reads the schema definition language, or the result of introspection with or without `data` around it. */
function parseSchema(text: string, file: string): GraphQLSchema {
  try {
    if (!isJson(text)) return buildSchema(text);
    const result = parseJson(text, file);
    const data = isRecord(result) && isRecord(result['data']) ? result['data'] : result;
    return buildClientSchema(data as IntrospectionQuery);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : error;
    throw usageError(
      `The file ${JSON.stringify(file)} is neither SDL nor the result of introspection: ${reason}`,
    );
  }
}
