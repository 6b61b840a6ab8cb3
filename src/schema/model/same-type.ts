// Compares the types of parameters.

import type { Parameter } from '../../upstream/description/description.ts';

/** Whether two parameters have the same type. Associations must refer to the same resource. */
export function isSameType(a: Parameter, b: Parameter): boolean {
  if (a.type === 'Resource' && b.type === 'Resource') return a.resource.join('.') === b.resource.join('.');
  const withoutText = (type: string) => (type === 'Text' ? 'String' : type);
  return withoutText(a.type) === withoutText(b.type);
}
