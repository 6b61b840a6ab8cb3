// Reads the rows of the specification. Rows of one form are the cases of one test.
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('rows/', import.meta.url);
const TEXT = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'))
  .join('\n');

/** The id, the promise and the groups of each row whose promise has a form. @throws Error when no row has it. */
export function readRows(
  form: RegExp,
): readonly (readonly [id: string, promise: string, ...groups: string[]])[] {
  const found = [...TEXT.matchAll(/^([\w.#/-]+): (.+)$/gm)].flatMap(([, id = '', promise = '']) => {
    const match = form.exec(promise);
    return match === null ? [] : [[id, promise, ...match.slice(1).map((group) => group ?? '')] as const];
  });
  if (found.length === 0) throw new Error(`no row has the form ${form}`);
  return found;
}

/** The endpoint of an action, as its row gives it. */
export interface Endpoint {
  readonly action: string;
  readonly method: string;
  /** For example `/v7.0/datasets/{dataset_id}`. */
  readonly template: string;
  readonly isBlocking: boolean;
  /** Whether anonymous callers are served. */
  readonly isOpen: boolean;
  /** That of the input. */
  readonly namespace: string;
}

/** Every endpoint of the reference, by action. */
export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  readRows(/^`(\w+) (\/\S+)` is an? (blocking )?action for (all|authenticated) callers\.$/).map(
    ([action, , method = '', template = '', blocking, callers]) => [
      action,
      {
        action,
        method,
        template,
        isBlocking: blocking !== '',
        isOpen: callers === 'all',
        namespace: namespaceOf(action),
      },
    ],
  ),
);

/** The namespace of an action's input: its resource. */
export function namespaceOf(action: string): string {
  return /(\w+)#/.exec(action)?.[1] ?? '';
}

/** The name in GraphQL. */
export const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
