// Derives the field names of reads.

import type { Action } from '../../upstream/description/description.ts';
import { lastFixedSegment } from '../../upstream/http/request-path.ts';
import type { Placement } from '../model/placement.ts';
import {
  appendName,
  avoidReserved,
  fieldNameOf,
  listNameOf,
  queryListNameOf,
  type ReservedNames,
} from './naming.ts';

/** Returns the upstream name of the objects that a list returns. */
export const pluralOf = ({ output, path }: Action): string => output.namespace ?? lastFixedSegment(path);

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
  if (action.name === 'index') {
    const plural = pluralOf(action);
    return isRoot
      ? queryListNameOf(fieldNameOf(...resource.path.slice(0, -1), plural), resource.fieldPrefix, reserved)
      : listNameOf(fieldNameOf(plural), fieldNameOf(resourceName));
  }
  if (host === 'object') return fieldNameOf(action.name);
  if (host === 'parent') return appendName(fieldNameOf(resourceName), action.name);
  return avoidReserved(appendName(resource.fieldPrefix, action.name), reserved.queries);
}
