import type { ActionDefinition, Parameters, ResourceDefinition } from '../engine/definition.ts';
import { association, boolean, integer, limit } from '../engine/parameters.ts';
import { userNamespaceMap } from '../resources/user-namespace-map.ts';

type Definitions = Readonly<Record<string, ResourceDefinition>>;

/** `offset` of a list, which pages version 5.0 (spec: Versioning 8). */
const offset = integer({
  label: 'Offset',
  description: 'The offset of the first object',
  validators: { number: { min: 0 } },
});

const map = association('user_namespace_map', 'label', { label: 'UID/GID mapping' });

/** Output of a dataset that came after 5.0. */
const newerOutput: ReadonlySet<string> = new Set([
  'compressratio',
  'refcompressratio',
  'vps',
  'dataset_expansion',
]);

/** What a new dataset takes in 5.0 alone. */
const mapInput: Parameters = {
  inherit_user_namespace_map: boolean({
    label: 'Inherit UID/GID mapping',
    description: 'Use the mapping of the parent dataset',
    default: true,
    fill: true,
  }),
  user_namespace_map: { ...map, nullable: true },
};

/** The resources of version 5.0: those of 7.0, but for what the specification tells is different. */
export function versionFive(latest: Definitions): Definitions {
  return mapValues({ ...latest, user_namespace_map: userNamespaceMap }, earlier);
}

/** Signing in, as 5.0 describes it: without a scope. */
export function tokenOfVersionFive(token: ResourceDefinition): ResourceDefinition {
  const { request, ...others } = token.actions;
  if (!request) return token;
  return {
    ...token,
    actions: { request: withInput(request, ({ scope: _scope, ...rest }) => rest), ...others },
  };
}

function earlier(definition: ResourceDefinition, name: string): ResourceDefinition {
  const { resources } = definition;
  const paged: ResourceDefinition = {
    ...definition,
    actions: mapValues(definition.actions, (action, own) => (own === 'index' ? earlierList(action) : action)),
    ...(resources ? { resources: mapValues(resources, earlier) } : {}),
  };
  return name === 'dataset' ? earlierDataset(paged) : paged;
}

/** Every list pages, heeds its `limit` and takes metadata, also those that in 7.0 do not. */
function earlierList({ ignoresLimit: _ignores, bare: _bare, ...list }: ActionDefinition): ActionDefinition {
  return withInput(list, pagedByOffset);
}

function earlierDataset(dataset: ResourceDefinition): ResourceDefinition {
  const kept = Object.entries(dataset.output).filter(([name]) => !newerOutput.has(name));
  const { create } = dataset.actions;
  return {
    ...dataset,
    output: { ...Object.fromEntries(kept), user_namespace_map: map },
    actions: {
      ...dataset.actions,
      ...(create ? { create: withInput(create, (input) => ({ ...input, ...mapInput })) } : {}),
    },
  };
}

function pagedByOffset(input: Parameters): Parameters {
  const { from_id: _fromId, ...others } = input;
  return { offset, limit: limit(), ...others };
}

/** The action with other input, without the examples that name a parameter which it then lacks. */
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
