// Extends the operator's description by what the API describes to a caller only, so that one schema has both.
import type {
  Action,
  Description,
  Parameter,
  Resource,
  Shape,
} from '../../upstream/description/description.ts';

/**
 * Returns a description that has all that a caller has, as the caller has it, and beside it what only the operator has: this decides
 * types and names. Returns the operator's description itself where the caller has nothing that it lacks or has otherwise.
 */
export function extendDescription(operator: Description, caller: Description): Description {
  const resources = extendResources(operator.resources, caller.resources);
  const { token } = operator.authentication;
  const ownToken = caller.authentication.token;
  const signIn = token === null ? [] : extendResources(token.resources, ownToken?.resources ?? []);
  const isSame =
    resources === operator.resources &&
    (token === null ? ownToken === null : signIn === token.resources) &&
    operator.metaNamespace === caller.metaNamespace;
  if (isSame) return operator;
  return {
    ...caller,
    resources,
    authentication: {
      ...operator.authentication,
      token: token === null ? ownToken : { ...token, resources: signIn },
    },
  };
}

/** Extends a list. Returns the list itself where nothing is added or changed. */
function extendList<Item extends { readonly name: string }>(
  own: readonly Item[],
  others: readonly Item[],
  extend: (item: Item, other: Item | undefined) => Item | null,
): readonly Item[] {
  const rest = new Map(others.map((item) => [item.name, item]));
  const extended = own.flatMap((item) => {
    const other = rest.get(item.name);
    rest.delete(item.name);
    return extend(item, other) ?? [];
  });
  const isSame =
    rest.size === 0 && extended.length === own.length && extended.every((item, at) => item === own[at]);
  return isSame ? own : [...extended, ...rest.values()];
}

const extendResources = (own: readonly Resource[], others: readonly Resource[]): readonly Resource[] =>
  extendList(own, others, (resource, other) =>
    other === undefined ? resource : extendResource(resource, other),
  );

function extendResource(own: Resource, other: Resource): Resource {
  const actions = extendList(own.actions, other.actions, (action, same) =>
    same === undefined ? action : extendAction(action, same),
  );
  const resources = extendResources(own.resources, other.resources);
  const isSame =
    actions === own.actions && resources === own.resources && own.description === other.description;
  return isSame ? own : { ...other, actions, resources };
}

function extendAction(own: Action, other: Action): Action {
  const input = extendShape(own.input, other.input, ({ required }) => !required);
  // Rows that lack the id for the caller have a nullable one.
  const output = extendShape(own.output, other.output, ({ name }) => name !== 'id');
  if (input === own.input && output === own.output && factsOf(own) === factsOf(other)) return own;
  return { ...other, input, output };
}

/** @param keeps Whether a parameter that only the operator has may stay. */
function extendShape(own: Shape, other: Shape, keeps: (parameter: Parameter) => boolean): Shape {
  const parameters = extendList(own.parameters, other.parameters, (parameter, same) => {
    if (same === undefined) return keeps(parameter) ? parameter : null;
    return textOf(parameter) === textOf(same) ? parameter : withAllChoices(same, parameter);
  });
  const isSame =
    parameters === own.parameters && own.layout === other.layout && own.namespace === other.namespace;
  return isSame ? own : { ...other, parameters };
}

/** Adds the choices that only the operator has: the API itself refuses them. */
function withAllChoices(parameter: Parameter, operators: Parameter): Parameter {
  if (parameter.type === 'Resource' || operators.type !== parameter.type) return parameter;
  const { include } = parameter.validators;
  const others = operators.validators.include?.values ?? [];
  const known = new Set(include?.values.map(({ value }) => value));
  const added = others.filter(({ value }) => !known.has(value));
  if (include === undefined || added.length === 0) return parameter;
  const values = [...include.values, ...added];
  return { ...parameter, validators: { ...parameter.validators, include: { ...include, values } } };
}

const texts = new WeakMap<Parameter, string>();

/** All that is described of a parameter. It is written once: each caller's parameters are compared with the operator's. */
function textOf(parameter: Parameter): string {
  const text = texts.get(parameter) ?? JSON.stringify(parameter);
  texts.set(parameter, text);
  return text;
}

/** All that is described of an action but its parameters. */
const factsOf = ({ input, output, metaInput, path, ...facts }: Action): string =>
  JSON.stringify([facts, path.text, [...metaInput].sort(), input.layout, output.layout]);
