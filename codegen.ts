// Prints the sandbox's schema, sorted, to schema.graphql, and types for test/operations to test/operations/types.ts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';
import { createLog } from './src/log/log.ts';
import { defaultOverrides } from './src/overrides/defaults.ts';
import { listenSandbox } from './src/sandbox/listen-sandbox.ts';
import { listenSnippets } from './src/sandbox/snippets/listen-snippets.ts';
import { createFacade } from './src/server/facade.ts';
import { readAuthorization } from './src/upstream/http/authentication.ts';

const OPERATIONS = new URL('./test/operations/', import.meta.url);

/** The sorted SDL of the sandbox's schema, as its administrator sees it, with its snippet service. */
export async function printSandboxSchema(): Promise<string> {
  await using sandbox = await listenSandbox();
  await using snippets = await listenSnippets();
  await using facade = await createFacade({
    upstream: new URL(sandbox.url),
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    overrides: defaultOverrides,
    snippets: { url: new URL(snippets.url) },
    log: createLog((line) => process.stderr.write(line)),
  });
  return `${printSchema(lexicographicSortSchema(facade.schema.schema))}\n`;
}

/** Types of the results and variables of every operation in test/operations. */
export async function printOperationTypes(sdl: string): Promise<string> {
  const files = readdirSync(OPERATIONS)
    .filter((file) => file.endsWith('.graphql'))
    .sort();
  const documents = files.map((location) => ({
    location,
    document: parse(readFileSync(new URL(location, OPERATIONS), 'utf8')),
  }));
  return codegen({
    filename: 'types.ts',
    schema: parse(sdl),
    documents,
    config: {
      enumsAsTypes: true,
      skipTypename: true,
      useTypeImports: true,
      scalars: { ID: 'string', SafeInt: 'number', DateTime: 'string', JSON: 'unknown' },
    },
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
  });
}

/** The generated files and their contents. */
export async function generate(): Promise<ReadonlyMap<URL, string>> {
  const sdl = await printSandboxSchema();
  return new Map([
    [new URL('./schema.graphql', import.meta.url), sdl],
    [new URL('types.ts', OPERATIONS), await printOperationTypes(sdl)],
  ]);
}

if (process.argv[1] === import.meta.filename) {
  for (const [file, text] of await generate()) writeFileSync(file, text);
}
