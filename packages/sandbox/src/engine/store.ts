// Stores the rows of a sandbox in memory.
import type { Fields, Row } from './definition.ts';

/** The tables of one sandbox. Rows are immutable: an update replaces the row, so a row that was read before stays the same. */
export interface Store {
  /** The names of the tables. */
  readonly tables: readonly string[];
  /** Returns the rows by ascending id. @throws Error when the table is unknown. */
  rows(table: string): readonly Row[];
  /** Finds a row by its id. */
  row(table: string, id: unknown): Row | undefined;
  /** Adds a row with the next id of the table. Ids are never reused. */
  insert(table: string, fields: Fields): Row;
  /** Changes columns of a row. Does nothing when there is no row with that id. */
  update(table: string, id: number, changes: Fields): void;
  remove(table: string, id: number): void;
  /** Makes changes that can be undone: `undo` restores every changed row. */
  makeUndoable<Result>(change: () => Result): { readonly result: Result; undo(): void };
}

interface Table {
  readonly byId: Map<unknown, Row>;
  /** The rows by ascending id. Undefined after a change, until the rows are read again. */
  ordered: readonly Row[] | undefined;
  lastId: number;
}

/** Creates a store with the given rows. */
export function createStore(data: Readonly<Record<string, readonly Row[]>>): Store {
  const tables = new Map(Object.entries(data).map(([name, rows]) => [name, createTable(rows)]));
  /** The rows before the changes of the current attempt, oldest change first. Null: no attempt is in progress. */
  let journal: { readonly table: Table; readonly id: number; readonly before: Row | undefined }[] | null =
    null;

  function table(name: string): Table {
    const found = tables.get(name);
    if (!found) throw new Error(`expected one of the tables ${[...tables.keys()].join(', ')}, got ${name}`);
    return found;
  }

  function setRow(target: Table, id: number, row: Row | undefined): void {
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
      setRow(target, row.id, row);
      return row;
    },
    update(name, id, changes) {
      const target = table(name);
      const before = target.byId.get(id);
      if (before) setRow(target, id, { ...before, ...changes, id });
    },
    remove: (name, id) => setRow(table(name), id, undefined),
    makeUndoable(change) {
      const changes: NonNullable<typeof journal> = [];
      journal = changes;
      try {
        const result = change();
        return {
          result,
          undo() {
            for (const { table: target, id, before } of changes.reverse()) setRow(target, id, before);
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
