// Derives from the description which resources an action changes, and from which ones reads have read.
import type { MadeRead } from '../../loaders/operation-calls.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import type { Action, Description, Parameter, Resource } from '../../upstream/description/description.ts';

/** The resources that an action changes, by their dotted paths. */
interface Written {
  /** That of the action, which includes those above and below it. */
  readonly own: string;
  readonly others: ReadonlySet<string>;
}

const known = new WeakMap<ServedSchema, Map<string, Written | null>>();

/**
 * Whether an action may change what has been read.
 * @param scope Null: the action is unknown, so it may.
 * @param read Dotted paths of resources.
 */
export function mayChange(served: ServedSchema, scope: string | null, read: ReadonlySet<string>): boolean {
  const written = scope === null ? null : writtenBy(served, scope);
  if (written === null) return true;
  const { own, others } = written;
  for (const resource of read) {
    if (resource === own || resource.startsWith(`${own}.`) || own.startsWith(`${resource}.`)) return true;
    if (others.has(resource)) return true;
  }
  return false;
}

/** Null for an action that is not described to the caller. */
function writtenBy(served: ServedSchema, scope: string): Written | null {
  const ofServed = known.get(served) ?? new Map<string, Written | null>();
  known.set(served, ofServed);
  let written = ofServed.get(scope);
  if (written === undefined) {
    const { resources, authentication } = served.description;
    const action = findAction([...resources, ...(authentication.token?.resources ?? [])], scope);
    written = action === null ? null : describeWritten(action, served.writes[scope] ?? []);
    ofServed.set(scope, written);
  }
  return written;
}

const describeWritten = ({ resource, input }: Action, added: readonly string[]): Written => ({
  own: resource.join('.'),
  others: new Set([...associationsIn(input.parameters), ...added]),
});

function findAction(resources: readonly Resource[], scope: string): Action | null {
  for (const { actions, resources: nested } of resources) {
    const found = actions.find((action) => action.scope === scope) ?? findAction(nested, scope);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Dotted paths of the resources from which an operation has read: those of its calls, and of the associations in their output. For
 * lists, all described associations count, also those that are not selected.
 */
export function resourcesOf(reads: readonly MadeRead[], description: Description): ReadonlySet<string> {
  const resources = new Set<string>();
  for (const { call, reason } of reads) {
    const { action } = call;
    resources.add(action.resource.join('.'));
    for (const resource of associationsIn(action.output.parameters, reason.values)) resources.add(resource);
    for (const [include, values] of reason.includes ?? [])
      for (const resource of includedBy(include, values, action, description)) resources.add(resource);
  }
  return resources;
}

/** @param names Those of the parameters that matter. Default: all. */
const associationsIn = (parameters: readonly Parameter[], names?: ReadonlySet<string>): readonly string[] =>
  parameters.flatMap((parameter) =>
    parameter.type === 'Resource' && (names === undefined || names.has(parameter.name))
      ? [parameter.resource.join('.')]
      : [],
  );

/** The resources of an include such as `author__city`, and of the associations that are selected of its object. */
function includedBy(
  include: string,
  values: ReadonlySet<string>,
  action: Action,
  description: Description,
): readonly string[] {
  const resources: string[] = [];
  let { parameters } = action.output;
  for (const name of include.split('__')) {
    const association = parameters.find((parameter) => parameter.name === name);
    if (association?.type !== 'Resource') return resources;
    resources.push(association.resource.join('.'));
    parameters = outputsOf(description.resources, association.resource);
  }
  return [...resources, ...associationsIn(parameters, values)];
}

function outputsOf(
  resources: readonly Resource[],
  [first, ...rest]: readonly string[],
): readonly Parameter[] {
  const resource = resources.find(({ name }) => name === first);
  if (resource === undefined) return [];
  if (rest.length > 0) return outputsOf(resource.resources, rest);
  const reads = ['show', 'index'].flatMap(
    (name) => resource.actions.find((action) => action.name === name) ?? [],
  );
  return reads[0]?.output.parameters ?? [];
}
