import { seesRow } from '../domain/access.ts';
import type { Call, Resource, Row } from './definition.ts';

/** The rows of the resource below the parents that the path names; undefined when the caller sees no such parent. */
export function rowsInPath(call: Call): readonly Row[] | undefined {
  const { resource } = call.action;
  const rows = resource.definition.table === undefined ? [] : call.store.rows(resource.definition.table);
  const { parent } = resource.definition;
  if (parent === undefined || !resource.parent) return rows;
  const above = parentInPath(call);
  return above && rows.filter((row) => row[parent] === above.id);
}

/** The row that the last id of the path names; undefined when the caller sees none there. */
export function rowInPath(call: Call): Row | undefined {
  const row = rowOf(call, call.action.resource, call.pathParams.at(-1));
  return row && rowsInPath(call)?.includes(row) ? row : undefined;
}

/** The row that the resource's rows are nested in; undefined when the caller sees none there. */
export function parentInPath(call: Call): Row | undefined {
  const { resource } = call.action;
  return resource.parent
    ? rowOf(call, resource.parent, call.pathParams[resource.path.length - 2])
    : undefined;
}

/** The id that a segment of a path stands for. */
export function idOf(segment: string | undefined): number | undefined {
  return segment !== undefined && /^[0-9]+$/.test(segment) ? Number(segment) : undefined;
}

function rowOf(call: Call, resource: Resource, segment: string | undefined): Row | undefined {
  const { table } = resource.definition;
  const row = table === undefined ? undefined : call.store.row(table, idOf(segment));
  return row && seesRow(call, resource, row) ? row : undefined;
}
