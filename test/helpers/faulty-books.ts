// Describes a library whose list of books has the faults that a test gives it, and runs `optiongraph doctor` over it.
import { runInProcess } from './cli-in-process.ts';
import { describeApi, list, type Raw, type RawAction, refersTo, resource, show } from './describe-api.ts';
import { type Answer, type Handler, ok, startStub } from './stub-upstream.ts';

/** A row of the list. */
export type Row = Readonly<Record<string, unknown>>;

/** The outputs of a book. */
export const BOOK_OUTPUT = {
  id: 'Integer',
  title: 'String',
  lent: 'Datetime',
  author: refersTo(['author']),
} as const;
/** A list that pages by `from_id`, includes and counts. */
export const PAGED_LIST: Partial<RawAction> = {
  input: { limit: 'Integer', from_id: 'Integer' },
  meta: ['includes', 'count'],
};

const authorOf = (id: number, isWhole: boolean) => ({
  ...{ id: (id % 3) + 1, name: 'A', _meta: { resolved: isWhole } },
  ...(isWhole ? { born: 1900 } : {}),
});

/** Rows in ascending order of their ids. */
export const BOOK_ROWS: readonly Row[] = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  title: `Title ${index + 1}`,
  lent: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
}));

/** How the list of books answers. */
export interface ListHabits {
  rows: readonly Row[];
  /** The rows from which a call with this limit takes its answer. Default: `rows`. */
  order?: (limit: number) => readonly Row[];
  /** Answers instead of the rows. */
  refuse?: (asked: {
    limit: number;
    includes: string;
    count: boolean;
    author: string | null;
  }) => Answer | null;
  total?: number;
  /** Largest number of rows of an answer. */
  most?: number;
  /** The rows behind an id. Default: those with larger ids. */
  after?: (rows: readonly Row[], id: number) => readonly Row[];
  /** The object of a row, as `show` answers it. */
  shown?: (row: Row) => Row;
}

/** How the actions of the library answer. */
export const handlersOf = (habits: ListHabits): Readonly<Record<string, Handler>> => ({
  'book#index': ({ query }) => {
    const limit = Number(query.get('book[limit]') ?? 1_000);
    const fromId = query.get('book[from_id]');
    const includes = query.get('_meta[includes]') ?? '';
    const count = query.get('_meta[count]') === 'true';
    const author = query.get('book[author]');
    const refused = habits.refuse?.({ limit, includes, count, author });
    if (refused) return refused;
    const all = habits.order?.(limit) ?? habits.rows;
    const after = habits.after ?? ((rows, id) => rows.filter((row) => Number(row['id']) > id));
    const rows = fromId === null ? all : after(all, Number(fromId));
    const most = Math.min(limit, habits.most ?? limit);
    const isWhole = includes.includes('author');
    const books = rows
      .slice(0, most)
      .map((row) => ({ author: authorOf(Number(row['id']), isWhole), ...row }));
    return ok({ books, ...(count ? { _meta: { total_count: habits.total ?? habits.rows.length } } : {}) });
  },
  'book#show': ({ path }) => {
    const row = habits.rows.find(({ id }) => String(id) === path[0]) ?? {};
    return ok({ book: habits.shown?.(row) ?? row });
  },
  'author#index': () => ok({ authors: [{ id: 1, name: 'A', born: 1900 }] }),
  'author#show': ({ path }) => ok({ author: { id: Number(path[0]), name: 'A', born: 1900 } }),
});

const AUTHOR = { id: 'Integer', name: 'String', born: 'Integer' } as const;

/** A list that filters by the author too, so that authors have books. */
export const FILTERED_LIST: Partial<RawAction> = {
  ...PAGED_LIST,
  input: { ...PAGED_LIST.input, author: refersTo(['author']) },
};

/** Describes authors, and books with these outputs and nested resources. */
export function describeLibrary(
  output: Readonly<Record<string, string | Raw>>,
  more: Raw = {},
  books = PAGED_LIST,
): Raw {
  return describeApi({
    author: resource({ index: list('author', 'authors', AUTHOR), show: show('author', 'authors', AUTHOR) }),
    book: resource(
      { index: list('book', 'books', output, books), show: show('book', 'books', output) },
      more,
    ),
  });
}

/** What `doctor` says about a list. */
export interface ListLine {
  readonly check: string;
  readonly result: string;
  readonly detail: string;
  readonly where?: string;
  readonly example?: string;
  readonly remedy?: string;
}

/** Runs `doctor` over an API, and returns what it says about lists. */
export async function examineApi(description: Raw, handlers: Readonly<Record<string, Handler>>) {
  await using stub = await startStub(description, handlers);
  const { code, stdout } = await runInProcess(['doctor', '--format', 'json', '--upstream', stub.url.href], {
    OPTIONGRAPH_TOKEN: 'reader',
  });
  const lines: readonly ListLine[] = JSON.parse(stdout).filter(({ check }: ListLine) => check === 'lists');
  return { code, summary: lines[0]?.detail, lines: lines.slice(1), calls: stub.calls, stdout };
}

/** Examines a library whose list of books has some habits. */
export const examineBooks = (
  habits: Partial<ListHabits>,
  output: Readonly<Record<string, string | Raw>> = BOOK_OUTPUT,
) => examineApi(describeLibrary(output), handlersOf({ rows: BOOK_ROWS, ...habits }));
