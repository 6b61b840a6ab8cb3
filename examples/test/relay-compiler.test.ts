// Tests that Relay's compiler accepts the whole schema: each connection as a page that it can read on, each object as one to read again.
import { execFile } from 'node:child_process';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { makeFolder } from '../../test/helpers/folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMPILER = join(ROOT, 'examples/node_modules/relay-compiler/cli.js');
/** The names of Relay's documents begin with the name of their module. */
const MODULE = 'Whole';

const isConnection = ({ type }: GraphQLField<unknown, unknown>): boolean =>
  getNamedType(type).name.endsWith('Connection');

/** A fragment that reads a list page by page. */
const pagesOf = (
  { name: type }: GraphQLObjectType,
  { name: field }: GraphQLField<unknown, unknown>,
): string => `
  fragment ${MODULE}_${type}_${field} on ${type}
  @refetchable(queryName: "${MODULE}${type}_${field}Query")
  @argumentDefinitions(first: { type: "Int", defaultValue: 25 }, after: { type: "String" }) {
    ${field}(first: $first, after: $after) @connection(key: "${type}__${field}") { edges { node { __typename } } }
  }`;

/** A fragment that reads an object again. */
const again = ({ name }: GraphQLObjectType): string => `
  fragment ${MODULE}_${name} on ${name} @refetchable(queryName: "${MODULE}${name}Query") { __typename id }`;

it('compiles each connection and each object with an id', async () => {
  using folder = makeFolder();
  const types = Object.values(
    buildSchema(await readFile(join(ROOT, 'schema.graphql'), 'utf8')).getTypeMap(),
  ).filter(isObjectType);
  const nodes = types.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
  const withConnections = types.filter((type) => Object.values(type.getFields()).some(isConnection));
  // A list of anything else could not be read on.
  expect(withConnections.filter((type) => type.name !== 'Query' && !nodes.includes(type))).toEqual([]);
  const documents = [
    ...nodes.map(again),
    ...withConnections.flatMap((type) =>
      Object.values(type.getFields())
        .filter(isConnection)
        .map((field) => pagesOf(type, field)),
    ),
  ];
  expect(documents.length).toBeGreaterThan(50);

  const tags = documents.map((document) => `graphql\`${document}\`;`);
  const config = { src: '.', schema: 'schema.graphql', language: 'typescript', eagerEsModules: true };
  await Promise.all([
    copyFile(join(ROOT, 'schema.graphql'), join(folder.path, 'schema.graphql')),
    writeFile(
      join(folder.path, `${MODULE}.ts`),
      `import { graphql } from 'relay-runtime';\n${tags.join('\n')}`,
    ),
    writeFile(join(folder.path, 'relay.config.json'), JSON.stringify(config)),
  ]);
  await promisify(execFile)(process.execPath, [COMPILER], { cwd: folder.path });
  const queries = (await readdir(join(folder.path, '__generated__'))).filter((file) =>
    file.endsWith('Query.graphql.ts'),
  );
  expect(queries).toHaveLength(documents.length);
}, 120_000);
