// Reads the operations of a file, a folder or a manifest of trusted documents.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  parse,
  Source,
  separateOperations,
} from 'graphql';
import { parseTrustedDocuments } from '../../../../src/index.ts';
import { usageError } from '../command-line/exit-codes.ts';
import { parseJson, readNamed } from '../request.ts';

/** An operation with the fragments that it needs, in whatever files they are. The source of each part has the name of its file. */
export interface FileOperation {
  readonly file: string;
  /** Its name; empty for an unnamed one. */
  readonly name: string;
  readonly document: DocumentNode;
}

/**
 * Reads all operations. Files of a folder share their fragments; the documents of a manifest do not.
 * @throws CommandError when a file cannot be read or has a syntax error, and when there is no operation.
 */
export function readOperations(path: string): readonly FileOperation[] {
  const sets = path.endsWith('.json') ? readManifest(path) : [findFiles(path).map(parseFile)];
  const operations = sets.flatMap(operationsOf);
  if (operations.length === 0) throw usageError(`There is no operation in ${JSON.stringify(path)}.`);
  return operations;
}

function findFiles(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(graphql|gql)$/.test(name) && !/(^|[\\/])node_modules[\\/]/.test(name))
    .sort()
    .map((name) => join(path, name));
}

const parseFile = (file: string): DocumentNode => parseText(readNamed(file), file);

function readManifest(path: string): readonly (readonly DocumentNode[])[] {
  const raw = parseJson(readNamed(path), path);
  try {
    return [...parseTrustedDocuments(raw)].map(([id, text]) => [parseText(text, `${path}#${id}`)]);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(`The file ${JSON.stringify(path)} is no manifest of documents: ${error.message}.`);
  }
}

function parseText(text: string, file: string): DocumentNode {
  try {
    return parse(new Source(text, file));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [{ line, column } = { line: 1, column: 1 }] = error.locations ?? [];
    throw usageError(`The file ${JSON.stringify(file)} is invalid at ${line}:${column}: ${error.message}`);
  }
}

/** Two files may have operations of one name. */
function operationsOf(documents: readonly DocumentNode[]): readonly FileOperation[] {
  const definitions = documents.flatMap((document) => document.definitions);
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return definitions.flatMap((definition): readonly FileOperation[] => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const document = withFragments(definition, fragments);
    return [{ file: definition.loc?.source.name ?? '', name: definition.name?.value ?? '', document }];
  });
}

function withFragments(operation: DefinitionNode, fragments: readonly DefinitionNode[]): DocumentNode {
  const all: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  return Object.values(separateOperations(all))[0] ?? all;
}
