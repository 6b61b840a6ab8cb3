// Creates the parameters of resource definitions.
import type { Association, Parameters, TypedParameter } from './definition.ts';

type TypedOptions = Omit<TypedParameter, 'type'>;
type AssociationOptions = Omit<Association, 'type' | 'resource' | 'valueLabel'>;

function createFactory(type: TypedParameter['type']): (options?: TypedOptions) => TypedParameter {
  return (options = {}) => ({ type, ...options });
}

/** Creates a parameter for a short text. */
export const string = createFactory('String');
/** Creates a parameter for a text of many lines. */
export const text = createFactory('Text');
/** Creates a parameter for true or false. */
export const boolean = createFactory('Boolean');
/** Creates a parameter for an integer. */
export const integer = createFactory('Integer');
/** Creates a parameter for a number. */
export const float = createFactory('Float');
/** Creates a parameter for a time in ISO 8601. */
export const datetime = createFactory('Datetime');
/** Creates a parameter for any JSON value. */
export const custom = createFactory('Custom');

/** Creates a parameter that takes one of the given values. */
export function choice(
  values: readonly string[] | Readonly<Record<string, string>>,
  options: TypedOptions = {},
) {
  return string({ ...options, validators: { include: { values } } });
}

/** Creates a parameter that refers to a row of the resource at a dotted path. `valueLabel` is the column with its label. */
export function association(
  path: string,
  valueLabel = 'label',
  options: AssociationOptions = {},
): Association {
  return { type: 'Resource', resource: path.split('.'), valueLabel, ...options };
}

/** Creates the parameter `limit` of a list. */
export function limit(options: TypedOptions = {}): TypedParameter {
  return integer({
    label: 'Limit',
    description: 'Number of objects',
    validators: { number: { min: 0, max: 1000 } },
    ...options,
  });
}

/** The parameter `from_id` of a list. */
export const fromId = integer({
  label: 'From ID',
  description: 'List the objects whose id is greater, or in descending lists lower, than this id',
  validators: { number: { min: 0 } },
});

/** The paging parameters of most lists. */
export const paging: Parameters = { from_id: fromId, limit: limit() };

/** Copies parameters so that the server fills in the defaults of omitted ones, as it does when it creates an object. */
export function withFilledDefaults(parameters: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      parameter.type !== 'Resource' && parameter.default !== undefined
        ? { ...parameter, fillsDefault: true }
        : parameter,
    ]),
  );
}

/** Copies parameters so that each is required. */
export function allRequired(parameters: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { ...parameter, required: true }]),
  );
}
