// Derives what the field `label` of a resource's type shows.
import type { Action, Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import { isSameType } from './parameters.ts';

/** What the field `label` of a type shows. */
export interface Label {
  /**
   * The value labels of the associations that refer to the resource; none where no association does. Output parameters come first,
   * then the most frequent. An object that was read shows the first of them that is not empty.
   */
  readonly parameters: readonly string[];
  /** Whether an output parameter `label` has the field `label`. If not, it has a field of its own. */
  readonly isParameter: boolean;
}

/** Derives the label of a resource from the associations that refer to it. */
export function deriveLabel(
  parameters: ReadonlyMap<string, Parameter>,
  index: Action | null,
  references: readonly ResourceParameter[],
): Label {
  const votes = new Map<string, number>();
  for (const { valueLabel } of references) votes.set(valueLabel, (votes.get(valueLabel) ?? 0) + 1);
  const names = [...votes]
    .sort(
      ([a, x], [b, y]) => Number(parameters.has(b)) - Number(parameters.has(a)) || y - x || (a < b ? -1 : 1),
    )
    .map(([name]) => name);
  const own = parameters.get('label');
  const isText = own?.type === 'String' || own?.type === 'Text';
  const isAlwaysLabel = isText && names.every((name) => name === 'label') && isInRows(own, index);
  return { parameters: names, isParameter: names.length === 0 || isAlwaysLabel };
}

/** Whether the rows of a list have a parameter of the resource. */
function isInRows(parameter: Parameter, index: Action | null): boolean {
  const listed = index?.output.parameters.find(({ name }) => name === parameter.name);
  return index === null || (listed !== undefined && isSameType(listed, parameter));
}
