// The commands `schema print` and `schema json`: the schema of a caller.
import { buildSchema, introspectionFromSchema } from 'graphql';
import { printSDL } from '../../../src/index.ts';
import { openApi } from './client/open-api.ts';
import { EXIT_CODES } from './command-line/exit-codes.ts';
import { write } from './command-line/output.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { printValue } from './output/formats.ts';
import { dataOf } from './output/results.ts';

/** Prints the sorted schema, so that two outputs can be compared, or a subgraph. */
export async function printDefinitions(
  config: CallerConfig,
  { federation }: { readonly federation: boolean },
): Promise<number> {
  await using api = await openApi(config, { federation });
  const sdl = federation
    ? Object(dataOf(await api.client.ask({ query: '{ _service { sdl } }' }))['_service']).sdl
    : printSDL(api.served.schema);
  await write(String(sdl).trimEnd());
  return EXIT_CODES.ok;
}

/** Prints the result of introspection. */
export async function printIntrospection(config: CallerConfig): Promise<number> {
  await using api = await openApi(config);
  const schema = buildSchema(printSDL(api.served.schema));
  await printValue({ data: introspectionFromSchema(schema) }, 'json');
  return EXIT_CODES.ok;
}
