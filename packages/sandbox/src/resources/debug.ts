// Defines the resource that shows the tables of the sandbox for debugging.
import type { ActionDefinition, ResourceDefinition, Row } from '../engine/definition.ts';
import { custom, integer, string } from '../engine/parameters.ts';
import type { Store } from '../engine/store.ts';

const SAMPLE_SIZE = 3;

/** The tables that the server process keeps in memory, as arrays of rows and as maps by id. */
export const debug: ResourceDefinition = {
  description: 'Debug the API server',
  output: {},
  actions: {
    list_object_counts: {
      description: 'List counts of objects held by the server process',
      route: '/list_object_counts',
      role: 'admin',
      output: { layout: 'hash_list', parameters: { object: string(), count: integer() } },
      execute: ({ store }) => ({
        ok: true,
        items: largestTables(store).map(({ table, rows }) => ({ object: table, count: rows.length })),
      }),
    },
    hash_top: largestObjects('hash', (rows) =>
      Object.fromEntries(rows.map((row) => [row.id, Object.keys(row)])),
    ),
    array_top: largestObjects('array', (rows) => rows.map(({ id }) => id)),
  },
};

/** Samples contain ids and column names only, because some values are secret. */
function largestObjects(
  kind: 'array' | 'hash',
  createSample: (rows: readonly Row[]) => unknown,
): ActionDefinition {
  return {
    description: `List the largest ${kind} objects held by the server process`,
    route: `/${kind}_top`,
    role: 'admin',
    input: {
      layout: 'hash',
      parameters: { limit: integer({ label: 'Limit', default: 10, fillsDefault: true }) },
    },
    output: { layout: 'hash_list', parameters: { size: integer(), sample: custom() } },
    execute({ store, input }) {
      const largest = largestTables(store).slice(0, Math.max(0, Number(input.get('limit'))));
      const items = largest.map(({ rows }) => ({
        size: rows.length,
        sample: createSample(rows.slice(0, SAMPLE_SIZE)),
      }));
      return { ok: true, items };
    },
  };
}

function largestTables(store: Store): readonly { readonly table: string; readonly rows: readonly Row[] }[] {
  return store.tables
    .map((table) => ({ table, rows: store.rows(table) }))
    .sort((a, b) => b.rows.length - a.rows.length);
}
