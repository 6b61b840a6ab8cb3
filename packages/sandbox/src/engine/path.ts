// Finds the rows that the path of a call names.
import { isRowVisible } from '../domain/access.ts';
import type { Call, Resource, Row } from './definition.ts';

/** Finds the rows of the resource below the parents in the path. Undefined when the caller does not see such a parent. */
export function rowsInPath(call: Call): readonly Row[] | undefined {
  const { resource } = call.action;
  const rows = resource.definition.table === undefined ? [] : call.store.rows(resource.definition.table);
  const { parent } = resource.definition;
  if (parent === undefined || !resource.parent) return rows;
  const parentRow = parentInPath(call);
  return parentRow && rows.filter((row) => row[parent] === parentRow.id);
}

/** Finds the row with the last id of the path. Undefined when the caller does not see such a row. */
export function rowInPath(call: Call): Row | undefined {
  const row = findVisibleRow(call, call.action.resource, call.pathParams.at(-1));
  return row && rowsInPath(call)?.includes(row) ? row : undefined;
}

/** Finds the parent row of the resource's rows. Undefined when the caller does not see such a row. */
export function parentInPath(call: Call): Row | undefined {
  const { resource } = call.action;
  return resource.parent
    ? findVisibleRow(call, resource.parent, call.pathParams[resource.path.length - 2])
    : undefined;
}

/** Parses an id from a segment of a path. Undefined when the segment is not an id. */
export function parseId(segment: string | undefined): number | undefined {
  return segment !== undefined && /^[0-9]+$/.test(segment) ? Number(segment) : undefined;
}

function findVisibleRow(call: Call, resource: Resource, segment: string | undefined): Row | undefined {
  const { table } = resource.definition;
  const row = table === undefined ? undefined : call.store.row(table, parseId(segment));
  return row && isRowVisible(call, resource, row) ? row : undefined;
}
