// Compares parameters: their types, the associations to a resource and their labels, and outputs with the objects of their resource.
import type {
  Action,
  Parameter,
  Resource,
  ResourceParameter,
} from '../../upstream/description/description.ts';
import type { ChoiceValue } from '../../upstream/description/parse-validators.ts';
import { groupBy } from '../memo.ts';
import { isActionState, type ResourceModel } from './model.ts';

/** Whether two parameters have the same type. Associations must refer to the same resource. */
export function isSameType(a: Parameter, b: Parameter): boolean {
  if (a.type === 'Resource' && b.type === 'Resource') return a.resource.join('.') === b.resource.join('.');
  return a.type === b.type || (isText(a) && isText(b));
}

/** Sorts parameters by name, for names that must not depend on the order in which the description lists them. */
export const sortByName = (parameters: readonly Parameter[]): readonly Parameter[] =>
  [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Returns the described values that a text can equal; none where a parameter is no String. */
export function choicesOf(parameter: Parameter): readonly ChoiceValue[] {
  const values = parameter.type === 'String' ? (parameter.validators.include?.values ?? []) : [];
  return values.filter(({ value }) => typeof value === 'string' || typeof value === 'number');
}

const isText = ({ type }: Parameter): boolean => type === 'String' || type === 'Text';

/** Collects the associations of all inputs and outputs by the dotted path of the resource to which they refer. */
export function collectReferences(
  resources: readonly Resource[],
): ReadonlyMap<string, readonly ResourceParameter[]> {
  const parameters = resources.flatMap(({ actions }) =>
    actions.flatMap(({ input, output }) => [...output.parameters, ...input.parameters]),
  );
  const associations = parameters.filter((parameter) => parameter.type === 'Resource');
  return groupBy(associations, ({ resource }) => resource.join('.'));
}

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

/**
 * Returns the output parameters that an object of the resource does not have, e.g. a secret that is shown once. Returns null if the
 * output is not an object of the resource: types differ, nothing is shared, or its IDs are not known.
 */
export function extrasOf(resource: ResourceModel, action: Action): readonly Parameter[] | null {
  const known = resource.parameters;
  const isShowOrIndex = action.name === 'show' || action.name === 'index';
  if (isShowOrIndex && resource.reads.includes(action)) return [];
  const { layout, parameters } = action.output;
  if (!layout.startsWith('object') && !isActionState(resource.path)) return null;
  const shared = parameters.filter(({ name }) => known.has(name));
  if (shared.length === 0 && parameters.length > 0) return null;
  const { placeholders, idPlaceholder, idParameter } = resource.identity;
  const names = new Set([...action.path.placeholders, ...shared.map(({ name }) => name)]);
  const hasIds = placeholders.every(
    (placeholder) => names.has(placeholder) || (placeholder === idPlaceholder && names.has(idParameter)),
  );
  const isOfType = (parameter: Parameter): boolean =>
    isSameType(parameter, known.get(parameter.name) ?? parameter);
  if (!hasIds || !shared.every(isOfType)) return null;
  return parameters.filter(({ name }) => !known.has(name));
}
