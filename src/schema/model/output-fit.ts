// Decides whether an action's output is an object of its resource.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import { isActionState, type ResourceModel } from './model.ts';
import { isSameType } from './parameters.ts';

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
