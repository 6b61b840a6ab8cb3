// Lists the resources and actions of a description.
import type { Description } from '../../../src/index.ts';

/** A described resource. */
export type Resource = Description['resources'][number];
/** A described action. */
export type Action = Resource['actions'][number];
/** An input or output of an action. */
export type Parameter = Action['input']['parameters'][number];

/** The resources of a description, each before those below it. */
export function resourcesIn({ resources }: Pick<Description, 'resources'>): readonly Resource[] {
  return resources.flatMap((resource) => [resource, ...resourcesIn(resource)]);
}

/** The actions of all resources of a description. */
export const actionsIn = (description: Pick<Description, 'resources'>): readonly Action[] =>
  resourcesIn(description).flatMap(({ actions }) => actions);
