import { mayUse } from './access.ts';
import type {
  Action,
  Api,
  Association,
  BoundLayout,
  Caller,
  Parameter,
  Parameters,
  Resource,
} from './definition.ts';
import { validatorsOf } from './input.ts';
import { boolean, custom, integer } from './parameters.ts';
import { tokenHeader, tokenParameter } from './sessions.ts';
import { describeValidators } from './validators.ts';

/** A description, or a part of one. */
export type Described = Readonly<Record<string, unknown>>;

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

/** The answer to `OPTIONS /`: every version, the default one twice. */
export function describeVersions(api: Api, caller: Caller | null): Described {
  const described = describeVersion(api, caller);
  return { default_version: api.version, versions: { default: described, [api.version]: described } };
}

/**
 * One version as a caller sees it. With a caller only what the caller may use; without one everything, so that the
 * anonymous description is the widest, as on production servers.
 */
export function describeVersion(api: Api, caller: Caller | null): Described {
  return {
    authentication: {
      basic: { description: 'User name and password in an HTTP header. Not to be used from web browsers.' },
      token: {
        http_header: tokenHeader,
        query_parameter: tokenParameter,
        description: 'A token got for credentials, in an HTTP header or a query parameter.',
        resources: describeResources(api, api.tokenResources, caller),
      },
    },
    resources: describeResources(api, api.resources, caller),
    meta: { namespace: '_meta' },
    help: `/v${api.version}/`,
  };
}

/** One action as a caller sees it. */
export function describeAction(api: Api, action: Action, caller: Caller | null): Described {
  const { definition, method, path } = action;
  return {
    auth: action.auth,
    description: definition.description ?? null,
    aliases: definition.aliases ?? [],
    blocking: definition.blocking ?? false,
    input: describeLayout(api, action.input, caller),
    output: describeLayout(api, action.output, caller),
    meta: {
      object: action.objectMeta ? { input: null, output: metaLayout(api, objectMetaOutput) } : null,
      global: { input: metaLayout(api, action.metaInput), output: globalOutput(api, action) },
    },
    examples: [],
    scope: action.scope,
    path,
    method,
    help: `${path}?method=${method}`,
  };
}

function describeResources(
  api: Api,
  resources: ReadonlyMap<string, Resource>,
  caller: Caller | null,
): Described {
  const described: Record<string, Described> = {};
  for (const [name, resource] of resources) {
    const actions: Record<string, Described> = {};
    for (const [actionName, action] of resource.actions) {
      if (isDescribed(action.definition, caller)) actions[actionName] = describeAction(api, action, caller);
    }
    const nested = describeResources(api, resource.resources, caller);
    if (Object.keys(actions).length > 0 || Object.keys(nested).length > 0) {
      described[name] = { description: resource.definition.description ?? null, actions, resources: nested };
    }
  }
  return described;
}

function isDescribed(thing: { readonly role?: 'admin' }, caller: Caller | null): boolean {
  return caller === null || mayUse(caller, thing);
}

function globalOutput(api: Api, { definition, metaInput }: Action): Described | null {
  const parameters: Parameters = {
    ...(definition.counts && (definition.bare || 'count' in metaInput) ? { total_count: totalCount } : {}),
    ...(definition.blocking ? { action_state_id: actionStateId } : {}),
  };
  return Object.keys(parameters).length === 0 ? null : metaLayout(api, parameters);
}

function metaLayout(api: Api, parameters: Parameters): Described {
  return { parameters: describeParameters(api, parameters, null), layout: 'hash', namespace: false };
}

function describeLayout(
  api: Api,
  { layout, namespace, parameters }: BoundLayout,
  caller: Caller | null,
): Described {
  return { parameters: describeParameters(api, parameters, caller), layout, namespace };
}

function describeParameters(api: Api, parameters: Parameters, caller: Caller | null): Described {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, parameter]) => isDescribed(parameter, caller))
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
