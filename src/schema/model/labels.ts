// Derives what the field `label` of a resource's type shows.

import type { Action, Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import { isSameType } from './same-type.ts';

/** What the field `label` of a type shows. */
export interface Label {
  /**
   * The value labels of the associations that refer to the resource. Output parameters come first, then the most frequent. An object
   * that was read shows the first of them that is not empty.
   */
  readonly parameters: readonly [string, ...string[]];
  /** Whether the field always shows the output parameter `label`. If not, that parameter has a field of its own. */
  readonly isParameter: boolean;
}

/** Derives the label of a resource from the associations that refer to it; null where none does. */
export function deriveLabel(
  parameters: ReadonlyMap<string, Parameter>,
  index: Action | null,
  references: readonly ResourceParameter[],
): Label | null {
  const votes = new Map<string, number>();
  for (const { valueLabel } of references) votes.set(valueLabel, (votes.get(valueLabel) ?? 0) + 1);
  const [first, ...others] = [...votes]
    .sort(
      ([a, x], [b, y]) => Number(parameters.has(b)) - Number(parameters.has(a)) || y - x || (a < b ? -1 : 1),
    )
    .map(([name]) => name);
  if (first === undefined) return null;
  const own = parameters.get('label');
  const isText = own?.type === 'String' || own?.type === 'Text';
  const isOnlyLabel = first === 'label' && others.length === 0;
  return { parameters: [first, ...others], isParameter: isText && isOnlyLabel && isInRows(own, index) };
}

/** Whether the rows of a list have a parameter of the resource. */
function isInRows(parameter: Parameter, index: Action | null): boolean {
  const listed = index?.output.parameters.find(({ name }) => name === parameter.name);
  return index === null || (listed !== undefined && isSameType(listed, parameter));
}
