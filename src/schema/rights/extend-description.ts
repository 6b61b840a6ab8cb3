// Extends the operator's description by what the API describes to a caller only, so that one schema has both.
import { isDeepStrictEqual } from 'node:util';
import type { Action, Description, Parameter, Resource } from '../../upstream/description/description.ts';

/**
 * Returns a description that has all that a caller has, as the caller has it, and beside it what only the operator has: this decides
 * types and names. Returns the operator's description itself where the caller has nothing that it lacks or has otherwise.
 */
export function extendDescription(operator: Description, caller: Description): Description {
  const { token } = operator.authentication;
  const ownToken = caller.authentication.token;
  const signIn = token && { ...token, resources: extendAll(token.resources, ownToken?.resources ?? []) };
  const extended: Description = {
    ...caller,
    resources: extendAll(operator.resources, caller.resources),
    authentication: { ...operator.authentication, token: signIn ?? ownToken },
  };
  return isDeepStrictEqual(partsOf(extended), partsOf(operator)) ? operator : extended;
}

const extendAll = (own: readonly Resource[], others: readonly Resource[]): readonly Resource[] =>
  merge(own, others, (resource, other) => ({
    ...other,
    actions: merge(resource.actions, other.actions, extendAction),
    resources: extendAll(resource.resources, other.resources),
  }));

function extendAction(own: Action, other: Action): Action {
  const inputs = own.input.parameters.filter(isKept(other.input.parameters, ({ required }) => !required));
  // Rows that lack the id for the caller have a nullable one.
  const outputs = own.output.parameters.filter(isKept(other.output.parameters, ({ name }) => name !== 'id'));
  return {
    ...other,
    input: { ...other.input, parameters: merge(inputs, other.input.parameters, withAllChoices) },
    output: { ...other.output, parameters: merge(outputs, other.output.parameters, withAllChoices) },
  };
}

/** Makes the function that decides whether a parameter of the operator stays: the caller has it, too, or it may be added. */
const isKept =
  (others: readonly Parameter[], mayAdd: (parameter: Parameter) => boolean) =>
  (parameter: Parameter): boolean =>
    mayAdd(parameter) || others.some(({ name }) => name === parameter.name);

/** Merges two lists by name: the items of the first, extended by those of the second, and then the others of the second. */
function merge<Item extends { readonly name: string }>(
  own: readonly Item[],
  others: readonly Item[],
  extend: (item: Item, other: Item) => Item,
): readonly Item[] {
  const rest = new Map(others.map((item) => [item.name, item]));
  const extended = own.map((item) => {
    const other = rest.get(item.name);
    rest.delete(item.name);
    return other === undefined ? item : extend(item, other);
  });
  return [...extended, ...rest.values()];
}

/** Returns the caller's parameter with all choices of the operator, in their order: the API itself refuses those that it does not describe. */
function withAllChoices(operators: Parameter, parameter: Parameter): Parameter {
  if (parameter.type === 'Resource' || operators.type !== parameter.type) return parameter;
  const { include } = parameter.validators;
  if (include === undefined) return parameter;
  const all = [...(operators.validators.include?.values ?? []), ...include.values];
  const values = [...new Map(all.map((choice) => [choice.value, choice])).values()];
  return { ...parameter, validators: { ...parameter.validators, include: { ...include, values } } };
}

/** All of which a schema is made. */
const partsOf = ({ resources, authentication: { token }, metaNamespace }: Description) => [
  resources,
  token?.resources,
  metaNamespace,
];
