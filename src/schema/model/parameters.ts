// Compares the types of parameters, and collects the associations among them.
import type { Parameter, Resource, ResourceParameter } from '../../upstream/description/description.ts';

/** Whether two parameters have the same type. Associations must refer to the same resource. */
export function isSameType(a: Parameter, b: Parameter): boolean {
  if (a.type === 'Resource' && b.type === 'Resource') return a.resource.join('.') === b.resource.join('.');
  return a.type === b.type || (isText(a) && isText(b));
}

const isText = ({ type }: Parameter): boolean => type === 'String' || type === 'Text';

/** Collects the associations of all inputs and outputs by the dotted path of the resource to which they refer. */
export function collectReferences(
  resources: readonly Resource[],
): ReadonlyMap<string, readonly ResourceParameter[]> {
  const references = new Map<string, ResourceParameter[]>();
  const add = (parameter: Parameter): void => {
    if (parameter.type !== 'Resource') return;
    const key = parameter.resource.join('.');
    const known = references.get(key);
    if (known === undefined) references.set(key, [parameter]);
    else known.push(parameter);
  };
  for (const { actions } of resources)
    for (const { input, output } of actions) [...output.parameters, ...input.parameters].forEach(add);
  return references;
}
