// Finds the resources that are for debugging or internal use, which come last in documentation.
import type { Resource } from '../../upstream/description/description.ts';
import type { Overrides } from './overrides.ts';

const INTERNAL_NAME = /^(debug|internals?)$|^debug_/i;
const INTERNAL_TEXT = /\b(debug|debugging|internals|internal (use|purposes?))\b/i;

/**
 * Returns the dotted paths of internal resources: those that the overrides name, and those whose name or description says so. What is
 * below an internal resource is internal too, unless the overrides say otherwise.
 */
export function findInternalResources(
  resources: readonly Resource[],
  { internal = {} }: Overrides,
): ReadonlySet<string> {
  const decided = new Map(Object.entries(internal));
  const found = new Set<string>();
  const visit = (resource: Resource, isParentInternal: boolean): void => {
    const key = resource.path.join('.');
    const name = resource.path.at(-1) ?? '';
    const isInternal =
      decided.get(key) ??
      (isParentInternal || INTERNAL_NAME.test(name) || INTERNAL_TEXT.test(resource.description ?? ''));
    if (isInternal) found.add(key);
    for (const nested of resource.resources) visit(nested, isInternal);
  };
  for (const resource of resources) visit(resource, false);
  return found;
}
