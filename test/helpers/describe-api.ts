// Describes APIs, with parameters that are given by their types.
/** A part of a description, as a server sends it. */
export type Raw = Readonly<Record<string, unknown>>;

/** Parameters by name, each as the name of its type or as a complete description. */
export type RawParameters = Readonly<Record<string, string | Raw>>;

const NO_VALIDATORS = { validators: {} };

/** Describes parameters. */
export function parameters(described: RawParameters): Raw {
  return Object.fromEntries(
    Object.entries(described).map(([name, parameter]) => [
      name,
      typeof parameter === 'string' ? { type: parameter, label: name, ...NO_VALIDATORS } : parameter,
    ]),
  );
}

/** Describes an association with `id` and a label. */
export function refersTo(resource: readonly string[], label = 'name', more: Raw = {}): Raw {
  return { type: 'Resource', resource, value_id: 'id', value_label: label, ...more };
}

/** The described parts of an action. */
export interface RawAction {
  readonly method?: string;
  readonly path: string;
  readonly namespace?: string | null;
  readonly input?: RawParameters;
  readonly output?: RawParameters;
  readonly layout?: string;
  /** The namespace of the output. Default: that of the input. */
  readonly outputNamespace?: string | null;
  /** The names of its metadata parameters, for example `count`. */
  readonly meta?: readonly string[];
  readonly blocking?: boolean;
  /** Whether it needs a credential; default true. */
  readonly auth?: boolean;
}

/** Describes one action. */
export function action(described: RawAction): Raw {
  const { namespace = null, layout = 'object' } = described;
  const meta = parameters(Object.fromEntries((described.meta ?? []).map((name) => [name, 'Custom'])));
  return {
    auth: described.auth ?? true,
    description: '',
    aliases: [],
    blocking: described.blocking ?? false,
    method: described.method ?? 'GET',
    path: described.path,
    input:
      described.input === undefined
        ? null
        : { layout: 'object', namespace, parameters: parameters(described.input) },
    output:
      described.output === undefined
        ? null
        : {
            layout,
            namespace: described.outputNamespace === undefined ? namespace : described.outputNamespace,
            parameters: parameters(described.output),
          },
    meta: { object: null, global: { input: { layout: 'hash', parameters: meta }, output: null } },
  };
}

/** Describes a resource. */
export function resource(actions: Raw, resources: Raw = {}): Raw {
  return { description: '', actions, resources };
}

/** Describes an API whose token goes in the header `X-Library-Token`. */
export function describeApi(resources: Raw): Raw {
  const token = { http_header: 'X-Library-Token', query_parameter: 'library_token', resources: {} };
  return { authentication: { basic: {}, token }, resources, meta: { namespace: '_meta' } };
}

/** Describes the action `index`, whose output has the plural as its namespace. */
export function list(
  name: string,
  plural: string,
  output: RawParameters,
  more: Partial<RawAction> = {},
): Raw {
  return action({
    path: `/${plural}`,
    namespace: name,
    outputNamespace: plural,
    layout: 'object_list',
    output,
    ...more,
  });
}

/** Describes the action `show`. */
export function show(name: string, plural: string, output: RawParameters): Raw {
  return action({ path: `/${plural}/{${name}_id}`, namespace: name, output });
}

/** Describes resources with five actions each. Each refers to the next. */
export function manyResources(count: number): Raw {
  const describe = (index: number): readonly [string, Raw] => {
    const name = `thing${index}`;
    const next = refersTo([`thing${(index + 1) % count}`]);
    const output = { id: 'Integer', name: 'String', next } as const;
    const write = { namespace: name, input: { name: 'String', next }, output } as const;
    return [
      name,
      resource({
        index: list(name, `${name}s`, output, { input: { next } }),
        show: show(name, `${name}s`, output),
        create: action({ path: `/${name}s`, method: 'POST', ...write }),
        update: action({ path: `/${name}s/{${name}_id}`, method: 'PUT', ...write }),
        delete: action({ path: `/${name}s/{${name}_id}`, method: 'DELETE', namespace: name }),
      }),
    ];
  };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => describe(index)));
}
