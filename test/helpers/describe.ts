// Builds descriptions with all keys that a server sends.
type Raw = Record<string, unknown>;

/** Describes a parameter. */
export function param(type: string, more: Raw = {}): Raw {
  return {
    required: null,
    label: null,
    description: null,
    type,
    validators: {},
    default: null,
    protected: false,
    ...more,
  };
}

/** Describes an association. */
export function association(resource: readonly string[], valueLabel = 'label', more: Raw = {}): Raw {
  return {
    ...param('Resource'),
    resource,
    value_id: 'id',
    value_label: valueLabel,
    value: null,
    choices: null,
    ...more,
  };
}

/** Describes an action. `input` and `output` are maps of parameters. */
export function action(
  path: string,
  {
    method = 'GET',
    layout = 'object',
    inputLayout = 'object',
    namespace = 'thing' as string | null | false,
    input = {} as Raw,
    output = {} as Raw,
    meta = [] as readonly string[],
    aliases = [] as readonly string[],
    ...more
  } = {},
): Raw {
  return {
    auth: true,
    description: null,
    aliases,
    blocking: false,
    input: { layout: inputLayout, namespace, parameters: input },
    output: { layout, namespace, parameters: output },
    meta: {
      object: null,
      global: {
        input: {
          layout: 'hash',
          namespace: false,
          parameters: Object.fromEntries(meta.map((name) => [name, param('Custom')])),
        },
        output: null,
      },
    },
    examples: [],
    path,
    method,
    help: path,
    ...more,
  };
}

/** Parameters that page a list by id. */
export const paging = { from_id: param('Integer'), limit: param('Integer') };

/** Describes a resource whose `index` and `show` have the same output. */
export function resource(
  name: string,
  plural: string,
  output: Raw,
  {
    prefix = '/v1',
    filters = {} as Raw,
    actions = {} as Raw,
    resources = {} as Raw,
    meta = ['count', 'includes'],
  } = {},
): Raw {
  return {
    description: null,
    actions: {
      index: action(`${prefix}/${plural}`, {
        layout: 'object_list',
        namespace: plural,
        input: { ...paging, ...filters },
        output,
        meta,
      }),
      show: action(`${prefix}/${plural}/{${name}_id}`, {
        namespace: name,
        output,
        meta: meta.filter((key) => key === 'includes'),
      }),
      ...actions,
    },
    resources,
  };
}

/** Describes a version. */
export function description(resources: Raw, authentication: Raw = { basic: {} }): Raw {
  return { authentication, resources, meta: { namespace: '_meta' }, help: '/v1/' };
}
