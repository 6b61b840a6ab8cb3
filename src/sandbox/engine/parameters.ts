import type { Association, Parameters, TypedParameter } from './definition.ts';

type TypedOptions = Omit<TypedParameter, 'type'>;
type AssociationOptions = Omit<Association, 'type' | 'resource' | 'valueLabel'>;

function typed(type: TypedParameter['type']): (options?: TypedOptions) => TypedParameter {
  return (options = {}) => ({ type, ...options });
}

/** A short text. */
export const string = typed('String');
/** A text of many lines. */
export const text = typed('Text');
/** A yes or no. */
export const boolean = typed('Boolean');
/** A whole number. */
export const integer = typed('Integer');
/** A number. */
export const float = typed('Float');
/** A time, ISO 8601. */
export const datetime = typed('Datetime');
/** Anything that JSON holds. */
export const custom = typed('Custom');

/** One of the given values. */
export function choice(
  values: readonly string[] | Readonly<Record<string, string>>,
  options: TypedOptions = {},
) {
  return string({ ...options, validators: { include: { values } } });
}

/** A reference to a row of the resource at a dotted path; the label defaults to `label`. */
export function association(
  path: string,
  valueLabel = 'label',
  options: AssociationOptions = {},
): Association {
  return { type: 'Resource', resource: path.split('.'), valueLabel, ...options };
}

/** `limit` of a list; a default of its own is one that the server fills in. */
export function limit(options: TypedOptions = {}): TypedParameter {
  return integer({
    label: 'Limit',
    description: 'Number of objects',
    validators: { number: { min: 0, max: 1000 } },
    ...options,
  });
}

/** `from_id` of a list. */
export const fromId = integer({
  label: 'From ID',
  description: 'List objects with id greater or lesser than it',
  validators: { number: { min: 0 } },
});

/** Paging of every list that pages. */
export const paging: Parameters = { from_id: fromId, limit: limit() };

/** Parameters whose defaults the server fills in where they are omitted, as it does when something is created. */
export function filled(parameters: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      parameter.type !== 'Resource' && parameter.default !== undefined
        ? { ...parameter, fill: true }
        : parameter,
    ]),
  );
}

/** Parameters that may not be left out. */
export function required(parameters: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { ...parameter, required: true }]),
  );
}
