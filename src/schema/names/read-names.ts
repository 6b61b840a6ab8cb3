// Derives the field names of reads, and with them those of objects.
import type { Action } from '../../upstream/description/description.ts';
import { lastFixedSegment } from '../../upstream/http/request-path.ts';
import { returnsList } from '../model/list-paging.ts';
import type { Model, ResourceModel } from '../model/model.ts';
import { findHost, type Placement, placeAction } from '../model/placement.ts';
import {
  appendName,
  avoidReserved,
  baseNameOf,
  fieldNameOf,
  listNameOf,
  pluralize,
  type ReservedNames,
  readNameOf,
  withResource,
} from './naming.ts';

/** Returns the upstream name of the objects that a list returns. */
export const pluralOf = ({ output, path }: Action): string => output.namespace ?? lastFixedSegment(path);

/** Returns the name of a resource's list on another object: its plural. A resource that has another name has another plural, too. */
export const edgeListNameOf = (resource: ResourceModel, index: Action): string =>
  isRenamed(resource) ? pluralize(resource.fieldPrefix) : fieldNameOf(pluralOf(index));

const isRenamed = ({ path, baseName }: ResourceModel): boolean => baseName !== baseNameOf(path);

/** Returns the name of a resource's list at the root, e.g. `shelfBooks`. */
function rootListNameOf(resource: ResourceModel, index: Action, reserved: ReservedNames): string {
  const { parent, fieldPrefix } = resource;
  const isNested = parent !== null && !isRenamed(resource);
  const plural = isNested
    ? appendName(fieldNameOf(...parent.path), pluralOf(index))
    : edgeListNameOf(resource, index);
  const isTaken = [plural, fieldPrefix].some((name) => reserved.queries.has(name));
  return isTaken ? pluralize(withResource(fieldPrefix)) : listNameOf(plural, fieldPrefix);
}

/** Returns the field name of a read (docs/contract.md: Names). */
export function nameRead(
  { resource, action }: Placement,
  host: 'root' | 'parent' | 'object',
  reserved: ReservedNames,
): string {
  const resourceName = resource.path.at(-1) ?? '';
  const isRoot = host === 'root';
  if (action.name === 'show')
    return isRoot ? avoidReserved(resource.fieldPrefix, reserved.queries) : fieldNameOf(resourceName);
  if (action.name === 'index')
    return isRoot
      ? rootListNameOf(resource, action, reserved)
      : listNameOf(fieldNameOf(pluralOf(action)), fieldNameOf(resourceName));
  const actionName = readNameOf(action);
  if (host === 'object') return fieldNameOf(actionName);
  const prefix = isRoot ? resource.fieldPrefix : fieldNameOf(resourceName);
  const isPlural = returnsList(action) && actionName.startsWith('by_');
  const name = appendName(isPlural ? pluralize(prefix) : prefix, actionName);
  return isRoot ? avoidReserved(name, reserved.queries) : name;
}

/**
 * Returns the names of the fields that objects have besides references and reverse edges, which may not take them: identity, label,
 * outputs and reads.
 */
export function ownFieldsOf(
  model: Model,
  reserved: ReservedNames,
): ReadonlyMap<ResourceModel, ReadonlySet<string>> {
  const fields = new Map<ResourceModel, Set<string>>();
  for (const resource of model.values()) {
    const outputs = [...resource.parameters.keys()].map((name) => fieldNameOf(name));
    fields.set(resource, new Set(['id', 'databaseId', 'label', ...outputs]));
  }
  for (const resource of model.values())
    for (const action of resource.reads) {
      const placement = placeAction(resource, action);
      const host = findHost(placement);
      if (host?.resource) fields.get(host.resource)?.add(nameRead(placement, host.kind, reserved));
    }
  return fields;
}
