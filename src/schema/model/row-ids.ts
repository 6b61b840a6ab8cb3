// Finds out whether the rows of a list contain their ids, as far as the description says.

import type { Action } from '../../upstream/description/description.ts';
import { canBeId, type Keys } from './keys.ts';
import type { Report } from './report.ts';
import { isSameType } from './same-type.ts';

/** The parts of a resource that matter for the ids of its rows. */
interface Described {
  readonly typeName: string;
  readonly index: Action | null;
  readonly writes: readonly Action[];
}

/** Whether the rows of a resource's list contain their ids, or the path of the list does. Adds a finding where one is missing. */
export function identifiesRows({ typeName, index, writes }: Described, keys: Keys, report: Report): boolean {
  if (index === null) return true;
  const { path, placeholders, idPlaceholder, idParameter } = keys;
  const known = new Set([...index.path.placeholders, ...index.output.parameters.map(({ name }) => name)]);
  const missing = placeholders.filter(
    (name) => !known.has(name) && !(name === idPlaceholder && known.has(idParameter)),
  );
  if (missing.length === 0) return true;
  const [candidate = '…', ...others] = pathIdCandidates(index, writes, keys);
  const fact = `"pathIds": { "${path.join('.')}": "${others.length === 0 ? candidate : '…'}" }`;
  const isOwnId = missing.length === 1 && missing[0] === placeholders.at(-1);
  const remedy = isOwnId ? `; if one of their values is this id, name it in the overrides: ${fact}` : '';
  const reason = `its rows do not contain ${missing.join(', ')}, so "id" of ${typeName} may be null there, and the type is no Node${remedy}`;
  report.add('ROW_IDS_UNKNOWN', index.scope, reason);
  return false;
}

/** Returns the parameters that may be the id in the path of `show`: it answers them as the list does, and no write sets them. */
function pathIdCandidates(index: Action, writes: readonly Action[], { show }: Keys): readonly string[] {
  const inputs = new Set(writes.flatMap(({ input }) => input.parameters.map(({ name }) => name)));
  const shown = new Map(show?.output.parameters.map((parameter) => [parameter.name, parameter]));
  return index.output.parameters
    .filter((listed) => {
      const same = shown.get(listed.name);
      return canBeId(listed) && same !== undefined && isSameType(same, listed) && !inputs.has(listed.name);
    })
    .map(({ name }) => name);
}
