import type { Fields, Row } from './definition.ts';

/** The tables of one sandbox. A row is never changed, but replaced: what was read before stays as it was. */
export interface Store {
  /** Names of the tables. */
  readonly tables: readonly string[];
  /** Rows by ascending id; an unknown table throws. */
  rows(table: string): readonly Row[];
  /** Undefined when there is none of that id. */
  row(table: string, id: unknown): Row | undefined;
  /** Adds a row under the table's next id; ids are never used twice. */
  insert(table: string, fields: Fields): Row;
  /** Changes columns of a row; does nothing when there is none of that id. */
  update(table: string, id: number, changes: Fields): void;
  remove(table: string, id: number): void;
  /** Makes changes that can be taken back: every row they touched becomes what it was before. */
  attempt<Result>(change: () => Result): { readonly result: Result; undo(): void };
}

interface Table {
  readonly byId: Map<unknown, Row>;
  /** Undefined while nobody has asked since the last change. */
  ordered: readonly Row[] | undefined;
  lastId: number;
}

/** A store that holds the given rows. */
export function createStore(data: Readonly<Record<string, readonly Row[]>>): Store {
  const tables = new Map(Object.entries(data).map(([name, rows]) => [name, createTable(rows)]));
  /** The rows before the changes of the attempt being made, oldest change first. */
  let journal: { readonly table: Table; readonly id: number; readonly before: Row | undefined }[] | null =
    null;

  function table(name: string): Table {
    const found = tables.get(name);
    if (!found) throw new Error(`expected one of the tables ${[...tables.keys()].join(', ')}, got ${name}`);
    return found;
  }

  function put(target: Table, id: number, row: Row | undefined): void {
    journal?.push({ table: target, id, before: target.byId.get(id) });
    if (row) target.byId.set(id, row);
    else target.byId.delete(id);
    target.ordered = undefined;
  }

  return {
    tables: [...tables.keys()],
    rows(name) {
      const target = table(name);
      target.ordered ??= [...target.byId.values()].sort((a, b) => a.id - b.id);
      return target.ordered;
    },
    row: (name, id) => table(name).byId.get(id),
    insert(name, fields) {
      const target = table(name);
      target.lastId += 1;
      const row = { ...fields, id: target.lastId };
      put(target, row.id, row);
      return row;
    },
    update(name, id, changes) {
      const target = table(name);
      const before = target.byId.get(id);
      if (before) put(target, id, { ...before, ...changes, id });
    },
    remove: (name, id) => put(table(name), id, undefined),
    attempt(change) {
      const made: NonNullable<typeof journal> = [];
      journal = made;
      try {
        const result = change();
        return {
          result,
          undo() {
            for (const { table: target, id, before } of made.reverse()) put(target, id, before);
          },
        };
      } finally {
        journal = null;
      }
    },
  };
}

function createTable(rows: readonly Row[]): Table {
  return {
    byId: new Map<unknown, Row>(rows.map((row) => [row.id, row])),
    ordered: undefined,
    lastId: Math.max(0, ...rows.map(({ id }) => id)),
  };
}
