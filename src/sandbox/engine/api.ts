import type {
  Action,
  ActionDefinition,
  Api,
  Parameters,
  Resource,
  ResourceDefinition,
} from './definition.ts';
import { boolean, custom } from './parameters.ts';

/** What a server offers beyond its definitions. */
export interface Offers {
  readonly includes: boolean;
  readonly count: boolean;
  /** Where its OAuth 2.0 endpoints are. Default: there are none. */
  readonly authUrl?: string;
}

type Definitions = Readonly<Record<string, ResourceDefinition>>;

const no = boolean({ label: 'Disable metadata' });
const count = boolean({ label: 'Return total count', default: false });
const includes = custom({
  label: 'Included associations',
  description:
    'Comma-separated names of associations to resolve. Associations of an association follow it after two underscores, ' +
    "such as 'user,node__location'.",
});

/** Puts definitions in their places: paths, scopes, namespaces, and the metadata that each action takes. */
export function bindApi(version: string, definitions: Definitions, tokens: Definitions, offers: Offers): Api {
  const actions: Action[] = [];
  const resources = bindAll(definitions, null, `/v${version}`);
  const tokenResources = bindAll(tokens, null, '/_auth/token');

  function bindAll(all: Definitions, parent: Resource | null, above: string): Map<string, Resource> {
    return new Map(
      Object.entries(all).map(([name, definition]) => [name, bind(name, definition, parent, above)]),
    );
  }

  function bind(
    name: string,
    definition: ResourceDefinition,
    parent: Resource | null,
    above: string,
  ): Resource {
    const plural = pluralOf(name);
    const base = `${above}/${definition.route ?? plural}`;
    const ownActions = new Map<string, Action>();
    const ownResources = new Map<string, Resource>();
    const path = [...(parent?.path ?? []), name];
    const resource = { name, path, plural, definition, parent, actions: ownActions, resources: ownResources };
    for (const [actionName, action] of Object.entries(definition.actions)) {
      const bound = bindAction(actionName, action, resource, base, offers);
      ownActions.set(actionName, bound);
      actions.push(bound);
    }
    for (const [child, bound] of bindAll(definition.resources ?? {}, resource, `${base}/{${name}_id}`)) {
      ownResources.set(child, bound);
    }
    return resource;
  }

  function resource(path: readonly string[]): Resource {
    let found: Resource | undefined;
    for (const name of path) found = (found?.resources ?? resources).get(name);
    if (!found) throw new Error(`expected the path of a resource, got ${path.join('.')}`);
    return found;
  }

  return { version, resources, tokenResources, authUrl: offers.authUrl ?? null, actions, resource };
}

function bindAction(
  name: string,
  definition: ActionDefinition,
  resource: Resource,
  base: string,
  offers: Offers,
): Action {
  const { input, output } = definition;
  const outputLayout = output?.layout ?? 'object';
  const listed = outputLayout === 'object_list' || outputLayout === 'hash_list';
  const objectMeta =
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
      namespace: listed ? resource.plural : resource.name,
      parameters: output?.parameters ?? resource.definition.output,
    },
    metaInput: metaInput(definition, objectMeta, offers),
    objectMeta,
  };
}

function metaInput(definition: ActionDefinition, objectMeta: boolean, offers: Offers): Parameters {
  if (definition.bare) return {};
  return {
    no,
    ...(definition.counts && offers.count ? { count } : {}),
    ...(objectMeta && offers.includes ? { includes } : {}),
  };
}

function pluralOf(name: string): string {
  if (name.endsWith('y')) return `${name.slice(0, -1)}ies`;
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}
