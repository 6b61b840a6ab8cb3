// Writes and reads the file in which saved operations travel: a manifest as Apollo's tools and trusted documents have it.
import { errorText } from '../error-text.ts';
import { describeOperation } from './describe-operation.ts';
import type { SavedOperation } from './saved-operations.ts';

const FORMAT = 'apollo-persisted-query-manifest';
const VERSION = 1;
/** Problems of a file that are shown. */
const MOST_PROBLEMS = 5;

/** Writes a manifest. `variables` is no part of Apollo's format; others ignore it. */
export async function writeManifest(saved: readonly SavedOperation[]): Promise<string> {
  const operations = await Promise.all(
    saved.map(async ({ name, query, variables }) => ({
      id: await idOf(query, name),
      name,
      type: describeOperation(query).type,
      body: query,
      ...(variables === null ? {} : { variables }),
    })),
  );
  return `${JSON.stringify({ format: FORMAT, version: VERSION, operations }, null, 2)}\n`;
}

/** The hash by which clients name the text; its name on pages that have no hashes, because their connection is not secure. */
async function idOf(query: string, name: string): Promise<string> {
  if (crypto.subtle === undefined) return name;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(query));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads a manifest. @throws Error that names all that is wrong with it, each on a line. */
export function readManifest(text: string): readonly SavedOperation[] {
  const { format, version, operations } = parseObject(text);
  if (format !== FORMAT || version !== VERSION || !Array.isArray(operations))
    throw new Error(
      `It is no manifest of operations: it needs "format": "${FORMAT}", "version": ${VERSION} and a list of "operations".`,
    );
  const read = new Map<string, SavedOperation>();
  const problems: string[] = [];
  for (const [index, given] of operations.entries()) {
    const operation = readOperation(given);
    const name = typeof operation === 'string' ? nameOf(given) : operation.name;
    const place = `Operation ${index + 1}${name === null ? '' : ` (“${name}”)`}`;
    if (typeof operation === 'string') problems.push(`${place}: ${operation}`);
    else if (read.has(operation.name))
      problems.push(`${place}: an earlier one has this name. Rename one of them.`);
    else read.set(operation.name, operation);
  }
  if (problems.length > MOST_PROBLEMS)
    problems.splice(MOST_PROBLEMS, Number.POSITIVE_INFINITY, `And ${problems.length - MOST_PROBLEMS} more.`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return [...read.values()];
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    throw new Error(`It is no JSON: ${errorText(error)}.`);
  }
}

const nameOf = (given: unknown): string | null =>
  typeof given === 'object' && given !== null && 'name' in given && typeof given.name === 'string'
    ? given.name.slice(0, 50)
    : null;

/** Reads an entry, or says what is wrong with it. */
function readOperation(given: unknown): SavedOperation | string {
  if (typeof given !== 'object' || given === null) return 'it must be an object.';
  const { name, body, variables = null } = given as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name.trim() === '') return '"name" must be a text.';
  if (typeof body !== 'string') return '"body" must be the text of the operation.';
  try {
    describeOperation(body);
  } catch (error) {
    return `"body" cannot be read. ${errorText(error)}`;
  }
  if (typeof variables !== 'object' && typeof variables !== 'string')
    return '"variables" must be an object, or its text.';
  const isText = typeof variables === 'string' || variables === null;
  return {
    name: name.trim(),
    query: body,
    variables: isText ? variables : JSON.stringify(variables, null, 2),
  };
}
