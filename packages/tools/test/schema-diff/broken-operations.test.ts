// Tests `schema diff --operations`: which operations the changes of a schema break.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import {
  action,
  describeApi,
  list,
  type Raw,
  resource,
  show,
} from '../../../../test/helpers/describe-api.ts';
import { makeFolder } from '../../../../test/helpers/folder.ts';
import { readJsonLines } from '../../../../test/helpers/json-lines.ts';
import { startStub } from '../../../../test/helpers/stub-upstream.ts';

const text = (more: Raw = {}): Raw => ({ type: 'String', label: 'x', validators: {}, ...more });
const states = (values: readonly string[]): Raw =>
  text({ validators: { include: { values, message: 'is not offered' } } });

const describeLibrary = (output: Record<string, string | Raw>, input: Record<string, string | Raw>): Raw =>
  describeApi({
    shelf: resource(
      {},
      {
        book: resource({
          index: list('book', 'books', { id: 'Integer', ...output }, { path: '/books' }),
          show: show('book', 'books', { id: 'Integer', ...output }),
          create: action({
            path: '/books',
            method: 'POST',
            namespace: 'book',
            input,
            output: { id: 'Integer' },
          }),
        }),
      },
    ),
  });

const BEFORE = describeLibrary(
  {
    title: 'String',
    pages: text({ deprecated: 'Use sheets.' }),
    weight: 'Integer',
    state: states(['new', 'old']),
  },
  {
    title: 'String',
    note: text({ description: 'What else there is to say' }),
    state: states(['new', 'old']),
  },
);
/** The book has no pages, and a weight of another type; a state is gone, and the title is required. */
const AFTER = describeLibrary(
  { title: 'String', weight: 'String', state: states(['new', 'used']) },
  {
    title: text({ required: true }),
    note: text({ description: 'What else there is to say' }),
    state: states(['new', 'used']),
  },
);

const FILES = {
  'list.graphql':
    'query Titles {\n  shelfBooks { nodes { title } }\n}\nquery Session { session { isAnonymous: __typename } }\n',
  'nested/details.graphql': 'query Details($id: ID!) {\n  book: shelfBook(id: $id) { ...Facts }\n}\n',
  'nested/facts.graphql': 'fragment Facts on ShelfBook {\n  title\n  pages\n  weight\n}\n',
  'write.gql':
    'mutation Add($input: ShelfBookCreateInput) {\n  shelfBookCreate(input: $input) { success: __typename }\n}\n',
  'literal.graphql':
    'mutation Literal {\n  shelfBookCreate(input: { title: "One", state: OLD }) { __typename }\n}\n',
  'notes.txt': 'no operation',
};

const env = { OPTIONGRAPH_TOKEN: 'one' };

async function printSchema(description: Raw): Promise<string> {
  await using stub = await startStub(description, {});
  return (await runInProcess(['schema', 'print', '--upstream', stub.url.href], env)).stdout;
}

/** Compares with the schema of `BEFORE`. @param path The value of `--operations`, in the folder of the files. */
async function findBroken(
  files: Readonly<Record<string, string>>,
  { path = '.', format = 'ndjson', later = AFTER } = {},
) {
  const folder = makeFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const root = join(folder.path, 'operations');
  for (const [name, content] of Object.entries(files)) folder.write(join('operations', name), content);
  const file = folder.write('earlier', await printSchema(BEFORE));
  await using stub = await startStub(later, {});
  const args = ['schema', 'diff', file, '--operations', join(root, path), '--upstream', stub.url.href];
  const { code, stdout, stderr } = await runInProcess([...args, '--format', format], env);
  const local = (printed: string): string => printed.replaceAll(`${root}/`, '');
  return { code, stdout: local(stdout), stderr: local(stderr) };
}

test('lists where each operation breaks, and what it can have instead', async () => {
  const { code, stdout, stderr } = await findBroken(FILES);
  const rows = readJsonLines(stdout) as Record<string, string | null>[];
  const at = (wanted: string) =>
    rows.flatMap(({ file, operation, at, change, instead }) =>
      file === wanted ? [[operation, at, change, instead]] : [],
    );
  expect(at('list.graphql')).toEqual([]);
  expect(at('nested/facts.graphql')).toEqual([
    ['Details', '3:3', expect.stringContaining('Cannot query field "pages"'), 'Use sheets.'],
    ['Details', '4:3', expect.stringContaining("changed type from 'SafeInt' to 'String'"), null],
  ]);
  expect(at('literal.graphql')).toEqual([
    ['Literal', '2:49', expect.stringContaining('Value "OLD" does not exist'), null],
  ]);
  expect([code, stderr]).toEqual([1, '3 of 5 operations break.\n']);
});

test('lists what the values of a variable may contain', async () => {
  const { stdout } = await findBroken(FILES, { path: 'write.gql' });
  const rows = readJsonLines(stdout) as Record<string, string | null>[];
  expect(rows.filter(({ at }) => at === '1:14').map(({ change }) => change)).toEqual([
    expect.stringContaining('used in position expecting type "ShelfBookCreateInput!"'),
    expect.stringContaining("'ShelfBookCreateInput.title' changed type from 'String' to 'String!'"),
    expect.stringContaining("'OLD' was removed"),
  ]);
});

test('reads a manifest of trusted documents', async () => {
  const manifest = { 'manifest.json': JSON.stringify({ one: '{ shelfBooks { nodes { pages } } }' }) };
  const { code, stdout } = await findBroken(manifest, { path: 'manifest.json', format: 'json' });
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [expect.objectContaining({ file: 'manifest.json#one', operation: '', at: '1:24' })],
  ]);
});

test('exits with 0 when no operation breaks, and names those that were invalid before', async () => {
  const files = {
    'a.graphql': 'query Wrong { nothing }',
    'b.graphql': 'query Right { shelfBooks { nodes { id } } }',
  };
  expect(await findBroken(files, { later: BEFORE, format: 'table' })).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'a.graphql: Wrong is invalid before the change too: Cannot query field "nothing" on type "Query".\n0 of 2 operations break.\n',
  });
});

test.each([
  [{ 'a.graphql': 'query {' }, '.', 'The file "a.graphql" is invalid at 1:8: Syntax Error'],
  [{ 'notes.txt': '' }, '.', 'There is no operation in'],
  [{ 'notes.txt': '' }, 'absent.graphql', 'The file "absent.graphql" cannot be read'],
  [{ 'list.json': '[]' }, 'list.json', 'is no manifest of documents'],
])('refuses %j as %s', async (files, path, message) => {
  const { code, stderr } = await findBroken(files as Record<string, string>, { path });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
