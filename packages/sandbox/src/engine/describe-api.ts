// Builds the answers to OPTIONS: the description of the API and its parts, as a viewer sees them.
import { describeAuthentication } from '../auth/describe-authentication.ts';
import { mayCall, mayUse } from '../domain/access.ts';
import type {
  Action,
  Api,
  Apis,
  Association,
  BoundLayout,
  Caller,
  Example,
  Parameter,
  Parameters,
  Resource,
} from './definition.ts';
import { boolean, custom, integer } from './parameters.ts';
import { effectiveValidators } from './read-input.ts';
import { describeValidators } from './validate-value.ts';

/** A description or a part of one, ready for JSON. */
export type Described = Readonly<Record<string, unknown>>;

/** Who a description is for. Null sees what an anonymous caller may use; `everything` sees all. */
export type Viewer = Caller | null | 'everything';

const OBJECT_META_OUTPUT: Parameters = {
  path_params: custom({
    label: 'URL parameters',
    description: 'The ids in the path of this object',
  }),
  resolved: boolean({
    label: 'Resolved',
    description: 'Whether the object is complete, rather than only its id and label',
  }),
};

const TOTAL_COUNT = integer({ label: 'Total item count' });
const ACTION_STATE_ID = integer({
  label: 'Action state ID',
  description: 'The id of the action state to poll. Null: this call does not block.',
});

/** Describes every version for `OPTIONS /`. The default version stands there twice: as `default` and by its number. */
export function describeVersions([first, ...others]: Apis, viewer: Viewer): Described {
  const described = describeVersion(first, viewer);
  const earlier = others.map((api) => [api.version, describeVersion(api, viewer)] as const);
  const versions = { default: described, [first.version]: described, ...Object.fromEntries(earlier) };
  return { default_version: first.version, versions };
}

/** Describes one version. */
export function describeVersion(api: Api, viewer: Viewer): Described {
  return {
    authentication: describeAuthentication(api.authUrl, describeResources(api, api.tokenResources, viewer)),
    resources: describeResources(api, api.resources, viewer),
    meta: { namespace: '_meta' },
    help: `/v${api.version}/`,
  };
}

/** Describes one action. */
export function describeAction(api: Api, action: Action, viewer: Viewer): Described {
  const { definition, method, path } = action;
  return {
    auth: action.auth,
    description: definition.description ?? null,
    aliases: definition.aliases ?? [],
    blocking: definition.blocking ?? false,
    input: describeLayout(api, action.input, viewer),
    output: describeLayout(api, action.output, viewer),
    meta: {
      object: action.hasObjectMeta
        ? { input: null, output: describeMetaLayout(api, OBJECT_META_OUTPUT) }
        : null,
      global: {
        input: describeMetaLayout(api, action.metaParameters),
        output: describeGlobalOutput(api, action),
      },
    },
    examples: (definition.examples ?? []).map(describeExample),
    scope: action.scope,
    path,
    method,
    help: `${path}?method=${method}`,
  };
}

function describeExample({
  title,
  comment,
  pathParams,
  request,
  response,
  failure,
  httpStatus,
}: Example): Described {
  return {
    title,
    comment: comment ?? null,
    path_params: pathParams ?? null,
    request: request ?? null,
    response: response ?? null,
    status: failure === undefined,
    message: failure?.message ?? null,
    errors: failure?.errors ?? null,
    http_status: httpStatus ?? 200,
  };
}

function describeResources(api: Api, resources: ReadonlyMap<string, Resource>, viewer: Viewer): Described {
  const described: Record<string, Described> = {};
  for (const [name, resource] of resources) {
    const actions: Record<string, Described> = {};
    for (const [actionName, action] of resource.actions) {
      if (viewer === 'everything' || mayCall(viewer, action)) {
        actions[actionName] = describeAction(api, action, viewer);
      }
    }
    const nested = describeResources(api, resource.resources, viewer);
    if (Object.keys(actions).length > 0 || Object.keys(nested).length > 0) {
      described[name] = { description: resource.definition.description ?? null, actions, resources: nested };
    }
  }
  return described;
}

function describeGlobalOutput(api: Api, { definition, metaParameters }: Action): Described | null {
  const parameters: Parameters = {
    ...(definition.offersCount && (definition.takesNoMetadata || 'count' in metaParameters)
      ? { total_count: TOTAL_COUNT }
      : {}),
    ...(definition.blocking ? { action_state_id: ACTION_STATE_ID } : {}),
  };
  return Object.keys(parameters).length === 0 ? null : describeMetaLayout(api, parameters);
}

function describeMetaLayout(api: Api, parameters: Parameters): Described {
  return { parameters: describeParameters(api, parameters, 'everything'), layout: 'hash', namespace: false };
}

function describeLayout(api: Api, { layout, namespace, parameters }: BoundLayout, viewer: Viewer): Described {
  return { parameters: describeParameters(api, parameters, viewer), layout, namespace };
}

function describeParameters(api: Api, parameters: Parameters, viewer: Viewer): Described {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, parameter]) => viewer === 'everything' || mayUse(viewer, parameter))
      .map(([name, parameter]) => [name, describeParameter(api, name, parameter)]),
  );
}

function describeParameter(api: Api, name: string, parameter: Parameter): Described {
  const { nullable = false, required, description = null, type } = parameter;
  if (parameter.type === 'Resource') {
    return {
      required: required ?? null,
      nullable: nullable && !required,
      label: parameter.label ?? labelAssociation(name, parameter),
      description,
      type,
      resource: parameter.resource,
      value_id: 'id',
      value_label: parameter.valueLabel,
      value: null,
      choices: describeChoices(api, parameter),
    };
  }
  return {
    required: required ?? false,
    nullable: nullable && !required,
    label: parameter.label ?? capitalize(name),
    description,
    type,
    validators: describeValidators(effectiveValidators(parameter)),
    default: parameter.default ?? null,
    protected: parameter.protected ?? false,
  };
}

function describeChoices(api: Api, { resource }: Association): Described | null {
  const list = api.getResource(resource).actions.get('index');
  return list ? { path: list.path, method: list.method, help: `${list.path}?method=${list.method}` } : null;
}

/** The reference server labels an association that has the name of its resource with the resource's class name. */
function labelAssociation(name: string, { resource }: Association): string {
  return name === resource.at(-1) ? name.split('_').map(capitalize).join('') : capitalize(name);
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
