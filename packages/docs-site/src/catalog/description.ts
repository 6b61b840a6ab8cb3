// Names the parts of a description, and lists its resources.
import type { Description } from '../../../../src/index.ts';

/** A described resource. */
export type Resource = Description['resources'][number];
/** A described action. */
export type Action = Resource['actions'][number];
/** An input or output of an action. */
export type Parameter = Action['input']['parameters'][number];
/** A parameter that is no association. */
export type ValueParameter = Exclude<Parameter, { readonly type: 'Resource' }>;
/** The rules of a parameter. */
export type Validators = ValueParameter['validators'];

/** Resources and all below them, each before those below it. */
export const allResources = (resources: readonly Resource[]): readonly Resource[] =>
  resources.flatMap((resource) => [resource, ...allResources(resource.resources)]);
