// The commands `schema print` and `schema json`: the schema of a caller.
import { buildSchema, introspectionFromSchema } from 'graphql';
import { subgraphSDL } from '../../../src/plugins/federation/subgraph-sdl.ts';
import { printSDL } from '../../../src/schema/print-schema.ts';
import type { CallerConfig } from './caller-settings.ts';
import { EXIT_CODES } from './command-line/exit-codes.ts';
import { write } from './command-line/output.ts';
import { openApi } from './open-api.ts';
import { printValue } from './output/formats.ts';

/** Prints the sorted schema, so that two outputs can be compared, or a subgraph. */
export async function printDefinitions(
  config: CallerConfig,
  { federation }: { readonly federation: boolean },
): Promise<number> {
  await using api = await openApi(config, { federation });
  const { schema } = api.served;
  await write((federation ? subgraphSDL(schema) : printSDL(schema)).trimEnd());
  return EXIT_CODES.ok;
}

/** Prints the result of introspection. */
export async function printIntrospection(config: CallerConfig): Promise<number> {
  await using api = await openApi(config);
  const schema = buildSchema(printSDL(api.served.schema));
  await printValue({ data: introspectionFromSchema(schema) }, 'json');
  return EXIT_CODES.ok;
}
