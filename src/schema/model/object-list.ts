// Finds the list by which objects can be read again that `show` has answered.

import type { Identity } from '../../loaders/identity.ts';
import type { List } from '../../loaders/paging/list.ts';
import type { Action } from '../../upstream/description/description.ts';
import { filterParameters, toList } from './list-paging.ts';
import { isSameType } from './same-type.ts';

/**
 * Returns the list of a resource that pages by integer id, needs no filter, and describes all values of `show`. Null if there is
 * none.
 */
export function findObjectList(
  { placeholders, idPlaceholder, idParameter, show }: Omit<Identity, 'valueTypes' | 'list'>,
  reads: readonly Action[],
): List | null {
  const index = reads.find(({ name }) => name === 'index');
  if (index === undefined || show === null || idPlaceholder === null || idParameter !== 'id') return null;
  const parents = placeholders.slice(0, -1);
  const hasSameParents =
    index.path.placeholders.length === parents.length &&
    parents.every((name, position) => index.path.placeholders[position] === name);
  if (!hasSameParents || filterParameters(index).some(({ required }) => required)) return null;
  const outputs = new Map(index.output.parameters.map((parameter) => [parameter.name, parameter]));
  const hasValues = show.output.parameters.every((parameter) => {
    const listed = outputs.get(parameter.name);
    return listed !== undefined && isSameType(listed, parameter);
  });
  const list = toList(index);
  return hasValues && list.paging === 'keyset' ? list : null;
}
