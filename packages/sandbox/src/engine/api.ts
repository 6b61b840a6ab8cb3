// Binds the definitions of resources to one version of the API: paths, scopes, namespaces and metadata.
import type {
  Action,
  ActionDefinition,
  Api,
  Parameters,
  Resource,
  ResourceDefinition,
} from './definition.ts';
import { boolean, custom } from './parameters.ts';

/** The features that a server offers in addition to its definitions. */
export interface OfferedFeatures {
  readonly includes: boolean;
  readonly count: boolean;
  /** The base URL of the OAuth 2.0 endpoints. Default: the server has none. */
  readonly authUrl?: string;
}

type Definitions = Readonly<Record<string, ResourceDefinition>>;

const NO = boolean({ label: 'Disable metadata' });
const COUNT = boolean({ label: 'Return total count', default: false });
const INCLUDES = custom({
  label: 'Included associations',
  description:
    'Comma-separated names of associations to resolve. Two underscores separate an association from an association ' +
    "of its resource, for example 'user,node__location'.",
});

/** Binds definitions to a version: sets the path, scope, namespaces and metadata parameters of each action. */
export function bindApi(
  version: string,
  definitions: Definitions,
  tokens: Definitions,
  features: OfferedFeatures,
): Api {
  const resources = bindResources(definitions, null, `/v${version}`, features);
  const tokenResources = bindResources(tokens, null, '/_auth/token', features);
  return {
    version,
    resources,
    tokenResources,
    authUrl: features.authUrl ?? null,
    actions: [...listActions(resources), ...listActions(tokenResources)],
    getResource(path) {
      let found: Resource | undefined;
      for (const name of path) found = (found?.resources ?? resources).get(name);
      if (!found) throw new Error(`expected the path of a resource, got ${path.join('.')}`);
      return found;
    },
  };
}

function bindResources(
  definitions: Definitions,
  parent: Resource | null,
  parentPath: string,
  features: OfferedFeatures,
): ReadonlyMap<string, Resource> {
  return new Map(
    Object.entries(definitions).map(([name, definition]) => {
      const plural = pluralize(name);
      const base = `${parentPath}/${definition.route ?? plural}`;
      const actions = new Map<string, Action>();
      const resources = new Map<string, Resource>();
      const path = [...(parent?.path ?? []), name];
      const resource = { name, path, plural, definition, parent, actions, resources };
      for (const [actionName, action] of Object.entries(definition.actions)) {
        actions.set(actionName, bindAction(actionName, action, resource, base, features));
      }
      const nested = bindResources(definition.resources ?? {}, resource, `${base}/{${name}_id}`, features);
      for (const [nestedName, child] of nested) resources.set(nestedName, child);
      return [name, resource];
    }),
  );
}

function listActions(resources: ReadonlyMap<string, Resource>): readonly Action[] {
  return [...resources.values()].flatMap((resource) => [
    ...resource.actions.values(),
    ...listActions(resource.resources),
  ]);
}

function bindAction(
  name: string,
  definition: ActionDefinition,
  resource: Resource,
  base: string,
  features: OfferedFeatures,
): Action {
  const { input, output } = definition;
  const outputLayout = output?.layout ?? 'object';
  const isList = outputLayout === 'object_list' || outputLayout === 'hash_list';
  const hasObjectMeta =
    resource.definition.table !== undefined && (outputLayout === 'object' || outputLayout === 'object_list');
  return {
    name,
    resource,
    definition,
    scope: `${resource.path.join('.')}#${name}`,
    method: definition.method ?? 'GET',
    path: base + (definition.route ?? '').replace('{id}', `{${resource.name}_id}`),
    auth: definition.auth ?? resource.definition.auth ?? true,
    input: {
      layout: input?.layout ?? 'object',
      namespace: resource.name,
      parameters: input?.parameters ?? {},
    },
    output: {
      layout: outputLayout,
      namespace: isList ? resource.plural : resource.name,
      parameters: output?.parameters ?? resource.definition.output,
    },
    metaParameters: createMetaParameters(definition, hasObjectMeta, features),
    hasObjectMeta,
  };
}

function createMetaParameters(
  definition: ActionDefinition,
  hasObjectMeta: boolean,
  features: OfferedFeatures,
): Parameters {
  if (definition.takesNoMetadata) return {};
  return {
    no: NO,
    ...(definition.offersCount && features.count ? { count: COUNT } : {}),
    ...(hasObjectMeta && features.includes ? { includes: INCLUDES } : {}),
  };
}

function pluralize(name: string): string {
  if (name.endsWith('y')) return `${name.slice(0, -1)}ies`;
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}
