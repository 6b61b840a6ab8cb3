// Lists what is in resources and in the resources below them.
import type { Action, Resource } from './description.ts';

/** Resources and all below them, each before those below it. */
export function allResources(resources: readonly Resource[]): readonly Resource[] {
  return resources.flatMap((resource) => [resource, ...allResources(resource.resources)]);
}

/** The actions of resources and of all below them. */
export const allActions = (resources: readonly Resource[]): readonly Action[] =>
  allResources(resources).flatMap(({ actions }) => actions);
