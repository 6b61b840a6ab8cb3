import type { Row } from './definition.ts';

/** The tables of one sandbox. */
export interface Store {
  /** Rows by ascending id; an unknown table throws. */
  rows(table: string): readonly Row[];
  /** Undefined when there is none of that id. */
  row(table: string, id: unknown): Row | undefined;
}

/** A store that holds the given rows. */
export function createStore(data: Readonly<Record<string, readonly Row[]>>): Store {
  const tables = new Map(
    Object.entries(data).map(([name, rows]) => {
      const ordered = [...rows].sort((a, b) => a.id - b.id);
      return [name, { ordered, byId: new Map<unknown, Row>(ordered.map((row) => [row.id, row])) }];
    }),
  );
  function table(name: string) {
    const found = tables.get(name);
    if (!found) throw new Error(`expected one of the tables ${[...tables.keys()].join(', ')}, got ${name}`);
    return found;
  }
  return {
    rows: (name) => table(name).ordered,
    row: (name, id) => table(name).byId.get(id),
  };
}
