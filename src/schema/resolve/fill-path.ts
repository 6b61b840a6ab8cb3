// Fills the placeholders of an action's path.

import { checkIds, type PathIds } from '../../loaders/identity.ts';
import type { Action } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';

/**
 * Returns the values of a path's placeholders in path order.
 * @throws UpstreamProtocolError when a value is unknown.
 */
export function fillPlaceholders({ path, scope }: Action, values: PathIds): readonly string[] {
  const filled = path.placeholders.map((placeholder) => values.get(placeholder));
  if (filled.every((value) => value !== undefined)) return checkIds(filled);
  throw new UpstreamProtocolError('The object does not contain all IDs that the path needs.', {
    action: scope,
  });
}
