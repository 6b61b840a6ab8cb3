// Decides whether the output of an action has the type of its resource.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import { isActionState, type ResourceModel } from './model.ts';
import { isSameType } from './same-type.ts';

/** Whether the output of an action is an object of its resource: its parameters have the same types, and its IDs are known. */
export function fitsResource(resource: ResourceModel, action: Action): boolean {
  const isShowOrIndex = action.name === 'show' || action.name === 'index';
  if (isShowOrIndex && resource.reads.includes(action)) return true;
  const { layout, parameters } = action.output;
  if (!layout.startsWith('object') && !isActionState(resource.path)) return false;
  const { placeholders, idPlaceholder } = resource.identity;
  const known = new Set([...action.path.placeholders, ...parameters.map((parameter) => parameter.name)]);
  const hasIds = placeholders.every(
    (placeholder) => known.has(placeholder) || (placeholder === idPlaceholder && known.has('id')),
  );
  const isOfType = (parameter: Parameter): boolean => {
    const field = resource.parameters.get(parameter.name);
    return field !== undefined && isSameType(field, parameter);
  };
  return hasIds && parameters.every(isOfType);
}
