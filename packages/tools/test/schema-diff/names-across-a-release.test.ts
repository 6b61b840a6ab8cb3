// Tests that `schema diff` tells the renames of a release from removals, and which override keeps the old names.
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

const BOOK = { id: 'Integer', title: 'String' } as const;
const SHELF = { id: 'Integer', place: 'String' } as const;

/** An API of shelves with books. @param more What a release adds. */
const library = (more: Raw = {}, shelf: Raw = {}): Raw =>
  describeApi({
    shelf: resource(
      { index: list('shelf', 'shelves', SHELF), show: show('shelf', 'shelves', SHELF) },
      {
        book: resource({
          index: list('book', 'books', BOOK, { path: '/shelves/{shelf_id}/books' }),
          show: action({ path: '/shelves/{shelf_id}/books/{book_id}', namespace: 'book', output: BOOK }),
          create: action({
            ...{ path: '/shelves/{shelf_id}/books', method: 'POST', namespace: 'book' },
            ...{ input: { title: 'String' }, output: BOOK },
          }),
        }),
        ...shelf,
      },
    ),
    ...more,
  });

/** The second release has a resource that takes the name `ShelfBook`. */
const TAKER = resource({
  index: list('shelf_book', 'shelf_books', { id: 'Integer', isbn: 'String' }),
  show: show('shelf_book', 'shelf_books', { id: 'Integer', isbn: 'String' }),
});

interface Row {
  readonly effect: string;
  readonly at: string;
  readonly change: string;
  readonly name?: string;
  readonly override?: string | null;
}

/** Compares a description in a file with that of a running API. */
async function compare(earlier: string, later: Raw, more: readonly string[] = []) {
  const folder = makeFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  await using stub = await startStub(later, {});
  const file = folder.write('earlier', earlier);
  const args = ['schema', 'diff', file, '--upstream', stub.url.href, '--format', 'ndjson', ...more];
  const { code, stdout, stderr } = await runInProcess(args, { OPTIONGRAPH_TOKEN: 'one' });
  const rows = readJsonLines(stdout) as Row[];
  return { code, stderr, rows, renamed: rows.filter(({ name }) => name !== undefined) };
}

async function printed(description: Raw): Promise<string> {
  await using stub = await startStub(description, {});
  const env = { OPTIONGRAPH_TOKEN: 'one' };
  return (await runInProcess(['schema', 'print', '--upstream', stub.url.href], env)).stdout;
}

const RELEASE = library({ shelf_book: TAKER });
const OVERRIDE = '"names": {"ShelfBookResource":"ShelfBook","ShelfBook":"ShelfBookResource"}';

test('names across a release: a clash is a rename, and the override keeps the old name', async () => {
  const envelope = JSON.stringify({ status: true, response: library() });
  const { code, rows, renamed } = await compare(envelope, RELEASE);
  expect(code).toBe(1);
  expect(renamed).toContainEqual({
    effect: 'breaking',
    at: 'ShelfBook',
    change: 'Renamed',
    name: 'ShelfBookResource',
    override: OVERRIDE,
  });
  expect(renamed.map(({ at, name }) => [at, name])).toEqual(
    expect.arrayContaining([
      ['Mutation.shelfBookCreate', 'Mutation.shelfBookResourceCreate'],
      ['ShelfBookCreateInput', 'ShelfBookResourceCreateInput'],
    ]),
  );
  expect(rows.filter(({ change }) => change.includes('removed'))).toEqual([]);
  // All that is breaking is a rename, and one setting keeps it all.
  expect(rows.filter(({ effect }) => effect === 'breaking')).toEqual(renamed);
  expect(new Set(renamed.map(({ override }) => override))).toEqual(new Set([OVERRIDE]));

  const folder = makeFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const overrides = folder.write('overrides.json', `{${OVERRIDE}}`);
  const kept = await compare(await printed(library()), RELEASE, ['--overrides', overrides]);
  expect([kept.code, kept.renamed, kept.stderr]).toEqual([0, [], expect.stringMatching(/^0 breaking, 0 /)]);
});

test('a printed schema shows no renames, but removals', async () => {
  const { code, renamed, rows } = await compare(await printed(library()), RELEASE);
  expect([code, renamed]).toEqual([1, []]);
  expect(rows).toContainEqual(
    expect.objectContaining({
      at: 'Mutation.shelfBookCreate',
      change: expect.stringContaining('was removed'),
    }),
  );
});

test('what is removed stays removed, also when something like it is added', async () => {
  const index = list('door', 'doors', { id: 'Integer', open: 'Boolean' });
  const gate = list('gate', 'gates', { id: 'Integer', open: 'Boolean' });
  const door = library({ door: resource({ index }) });
  const later = library({ gate: resource({ index: gate }) });
  for (const earlier of [JSON.stringify(door), await printed(door)]) {
    const { rows, renamed } = await compare(earlier, later);
    expect(renamed).toEqual([]);
    expect(rows).toContainEqual(
      expect.objectContaining({ at: 'Query.doors', change: expect.stringContaining('was removed') }),
    );
  }
});
