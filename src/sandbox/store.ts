import type { Fields, Row } from './definition.ts';

/** The tables of one sandbox. */
export interface Store {
  /** Rows by ascending id; an unknown table throws. */
  rows(table: string): readonly Row[];
  /** Undefined when there is none of that id. */
  row(table: string, id: unknown): Row | undefined;
  /** Adds a row with the next id, and returns it. */
  insert(table: string, fields: Fields): Row;
  /** Replaces the named columns of a row; nothing happens when it is gone. */
  update(table: string, id: number, changes: Fields): void;
  /** Takes rows away and returns them, so that they can be put back. */
  remove(table: string, gone: (row: Row) => boolean): readonly Row[];
  /** Puts rows back as they were. */
  restore(table: string, rows: readonly Row[]): void;
}

/** A store that holds the given rows. */
export function createStore(data: Readonly<Record<string, readonly Row[]>>): Store {
  const tables = new Map(Object.entries(data).map(([name, rows]) => [name, new Table(rows)]));
  function table(name: string): Table {
    const found = tables.get(name);
    if (!found) throw new Error(`expected one of the tables ${[...tables.keys()].join(', ')}, got ${name}`);
    return found;
  }
  return {
    rows: (name) => table(name).ordered,
    row: (name, id) => table(name).byId.get(id),
    insert: (name, fields) => table(name).insert(fields),
    update: (name, id, changes) => table(name).update(id, changes),
    remove: (name, gone) => table(name).remove(gone),
    restore: (name, rows) => table(name).restore(rows),
  };
}

class Table {
  ordered: readonly Row[];
  byId: ReadonlyMap<unknown, Row> = new Map();
  #lastId: number;

  constructor(rows: readonly Row[]) {
    this.ordered = [];
    this.#set(rows);
    this.#lastId = this.ordered.at(-1)?.id ?? 0;
  }

  insert(fields: Fields): Row {
    this.#lastId += 1;
    const row: Row = { ...fields, id: this.#lastId };
    this.#set([...this.ordered, row]);
    return row;
  }

  update(id: number, changes: Fields): void {
    this.#set(this.ordered.map((row) => (row.id === id ? { ...row, ...changes, id } : row)));
  }

  remove(gone: (row: Row) => boolean): readonly Row[] {
    const removed = this.ordered.filter(gone);
    this.#set(this.ordered.filter((row) => !gone(row)));
    return removed;
  }

  restore(rows: readonly Row[]): void {
    const ids = new Set(rows.map(({ id }) => id));
    this.#set([...this.ordered.filter(({ id }) => !ids.has(id)), ...rows]);
  }

  #set(rows: readonly Row[]): void {
    this.ordered = [...rows].sort((a, b) => a.id - b.id);
    this.byId = new Map(this.ordered.map((row) => [row.id, row]));
  }
}
