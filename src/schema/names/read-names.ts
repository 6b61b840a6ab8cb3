// Derives the field names of reads.
import type { Action } from '../../upstream/description/description.ts';
import { lastFixedSegment } from '../../upstream/http/request-path.ts';
import { returnsList } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
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
