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
import { validatorsOf } from './read-input.ts';
import { describeValidators } from './validate-value.ts';

/** A description, or a part of one. */
export type Described = Readonly<Record<string, unknown>>;

/** Whose eyes a description is for: null sees what an anonymous caller may use, `everything` hides nothing. */
export type Viewer = Caller | null | 'everything';

const objectMetaOutput: Parameters = {
  path_params: custom({
    label: 'URL parameters',
    description: 'The ids that stand in the path of this object',
  }),
  resolved: boolean({
    label: 'Resolved',
    description: 'The whole object is here, not only its id and label',
  }),
};

const totalCount = integer({ label: 'Total item count' });
const actionStateId = integer({
  label: 'Action state ID',
  description: 'Identifies the state to poll. Null: this call was not blocking.',
});

/** The answer to `OPTIONS /`: every version, the first, which is the default one, twice. */
export function describeVersions([first, ...others]: Apis, viewer: Viewer): Described {
  const described = describeVersion(first, viewer);
  const earlier = others.map((api) => [api.version, describeVersion(api, viewer)] as const);
  const versions = { default: described, [first.version]: described, ...Object.fromEntries(earlier) };
  return { default_version: first.version, versions };
}

/** One version as a viewer sees it. */
export function describeVersion(api: Api, viewer: Viewer): Described {
  return {
    authentication: describeAuthentication(api.authUrl, describeResources(api, api.tokenResources, viewer)),
    resources: describeResources(api, api.resources, viewer),
    meta: { namespace: '_meta' },
    help: `/v${api.version}/`,
  };
}

/** One action as a viewer sees it. */
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
      object: action.objectMeta ? { input: null, output: metaLayout(api, objectMetaOutput) } : null,
      global: { input: metaLayout(api, action.metaInput), output: globalOutput(api, action) },
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
  http,
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
    http_status: http ?? 200,
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

function globalOutput(api: Api, { definition, metaInput }: Action): Described | null {
  const parameters: Parameters = {
    ...(definition.counts && (definition.bare || 'count' in metaInput) ? { total_count: totalCount } : {}),
    ...(definition.blocking ? { action_state_id: actionStateId } : {}),
  };
  return Object.keys(parameters).length === 0 ? null : metaLayout(api, parameters);
}

function metaLayout(api: Api, parameters: Parameters): Described {
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
      label: parameter.label ?? associationLabel(name, parameter),
      description,
      type,
      resource: parameter.resource,
      value_id: 'id',
      value_label: parameter.valueLabel,
      value: null,
      choices: choicesOf(api, parameter),
    };
  }
  return {
    required: required ?? false,
    nullable: nullable && !required,
    label: parameter.label ?? capitalized(name),
    description,
    type,
    validators: describeValidators(validatorsOf(parameter)),
    default: parameter.default ?? null,
    protected: parameter.protected ?? false,
  };
}

function choicesOf(api: Api, { resource }: Association): Described | null {
  const list = api.resource(resource).actions.get('index');
  return list ? { path: list.path, method: list.method, help: `${list.path}?method=${list.method}` } : null;
}

/** Named as its resource, it is labelled with the resource's class. */
function associationLabel(name: string, { resource }: Association): string {
  return name === resource.at(-1) ? name.split('_').map(capitalized).join('') : capitalized(name);
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
