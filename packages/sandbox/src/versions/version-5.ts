// Derives version 5.0 of the API from version 7.0.
import type { ActionDefinition, Parameters, ResourceDefinition } from '../engine/definition.ts';
import { association, boolean, integer, limit } from '../engine/parameters.ts';
import { userNamespaceMap } from '../resources/user-namespace-map.ts';

type Definitions = Readonly<Record<string, ResourceDefinition>>;

/** The parameter `offset`, which pages the lists of version 5.0 (specification: Versioning, 8). */
const OFFSET = integer({
  label: 'Offset',
  description: 'The offset of the first object',
  validators: { number: { min: 0 } },
});

const MAP_ASSOCIATION = association('user_namespace_map', 'label', { label: 'UID/GID mapping' });

/** The output parameters of a dataset that version 5.0 lacks. */
const NEWER_OUTPUTS: ReadonlySet<string> = new Set([
  'compressratio',
  'refcompressratio',
  'vps',
  'dataset_expansion',
]);

/** The input parameters of `dataset#create` that only version 5.0 has. */
const MAP_INPUT: Parameters = {
  inherit_user_namespace_map: boolean({
    label: 'Inherit UID/GID mapping',
    description: 'Use the mapping of the parent dataset',
    default: true,
    fillsDefault: true,
  }),
  user_namespace_map: { ...MAP_ASSOCIATION, nullable: true },
};

/** Creates the resources of version 5.0: those of 7.0 with the differences that the specification names. */
export function createVersionFive(latest: Definitions): Definitions {
  return mapValues({ ...latest, user_namespace_map: userNamespaceMap }, adaptResource);
}

/** Adapts the token resource to version 5.0: its `request` has no `scope`. */
export function adaptTokenResource(token: ResourceDefinition): ResourceDefinition {
  const { request, ...others } = token.actions;
  if (!request) return token;
  return {
    ...token,
    actions: { request: withInput(request, ({ scope: _scope, ...rest }) => rest), ...others },
  };
}

function adaptResource(definition: ResourceDefinition, name: string): ResourceDefinition {
  const { resources } = definition;
  const paged: ResourceDefinition = {
    ...definition,
    actions: mapValues(definition.actions, (action, own) => (own === 'index' ? adaptList(action) : action)),
    ...(resources ? { resources: mapValues(resources, adaptResource) } : {}),
  };
  return name === 'dataset' ? adaptDataset(paged) : paged;
}

/** In 5.0 every list pages, obeys `limit` and takes metadata, also a list that does not in 7.0. */
function adaptList({
  ignoresLimit: _ignores,
  takesNoMetadata: _bare,
  ...list
}: ActionDefinition): ActionDefinition {
  return withInput(list, pageByOffset);
}

function adaptDataset(dataset: ResourceDefinition): ResourceDefinition {
  const kept = Object.entries(dataset.output).filter(([name]) => !NEWER_OUTPUTS.has(name));
  const { create } = dataset.actions;
  return {
    ...dataset,
    output: { ...Object.fromEntries(kept), user_namespace_map: MAP_ASSOCIATION },
    actions: {
      ...dataset.actions,
      ...(create ? { create: withInput(create, (input) => ({ ...input, ...MAP_INPUT })) } : {}),
    },
  };
}

function pageByOffset(input: Parameters): Parameters {
  const { from_id: _fromId, ...others } = input;
  return { offset: OFFSET, limit: limit(), ...others };
}

/** Copies an action with changed input. Removes the examples that use a removed parameter. */
function withInput(action: ActionDefinition, change: (input: Parameters) => Parameters): ActionDefinition {
  const { input, examples = [] } = action;
  if (!input) return action;
  const parameters = change(input.parameters);
  const kept = examples.filter(({ request = {} }) =>
    Object.keys(request).every((name) => name in parameters),
  );
  return { ...action, input: { ...input, parameters }, examples: kept };
}

function mapValues<T>(
  values: Readonly<Record<string, T>>,
  change: (value: T, name: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
