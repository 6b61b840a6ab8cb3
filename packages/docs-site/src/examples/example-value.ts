// Makes example values of arguments and input fields.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { parameterOf } from '../../../../src/index.ts';
import type { Parameter, ValueParameter } from '../catalog/description.ts';

/** Fields of an input without required ones that an example shows. */
const OPTIONAL_FIELDS = 2;

const BY_TYPE: Readonly<Record<string, unknown>> = {
  Int: 1,
  SafeInt: 1,
  BigInt: '1',
  Float: 1,
  Boolean: true,
  DateTime: '2030-01-31T12:00:00Z',
  JSON: {},
};

/**
 * Returns a value of the type of an input, as JSON. It meets simple rules that the API describes.
 * @param id The value of ids.
 */
export function exampleValue(input: GraphQLArgument | GraphQLInputField, id: string | null): unknown {
  return makeValue(input.type, parameterOf(input), input.name, id);
}

function makeValue(
  given: GraphQLInputType,
  parameter: Parameter | null,
  name: string,
  id: string | null,
): unknown {
  const type = getNullableType(given);
  if (isListType(type)) return [makeValue(type.ofType, parameter, name, id)];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((one) => !one.deprecationReason);
    const required = fields.filter((one) => isNonNullType(one.type));
    const shown = required.length > 0 ? required : fields.slice(0, OPTIONAL_FIELDS);
    return Object.fromEntries(shown.map((one) => [one.name, exampleValue(one, id)]));
  }
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (named.name === 'ID') return id;
  const described = parameter === null || parameter.type === 'Resource' ? null : describedValue(parameter);
  if (described !== null) return described;
  return named.name in BY_TYPE ? BY_TYPE[named.name] : name;
}

/** A value that the description names: the default, one of the choices, or the least number. */
function describedValue({ type, default: fallback, validators }: ValueParameter) {
  const candidates = [
    fallback,
    validators.accept?.value,
    validators.include?.values[0]?.value,
    validators.number?.min,
  ];
  return candidates.find((value) => typeof value === JSON_TYPES[type]) ?? null;
}

/** How JSON represents the types of which a description can name values. */
const JSON_TYPES: Readonly<Partial<Record<Parameter['type'], string>>> = {
  String: 'string',
  Text: 'string',
  Integer: 'number',
  Float: 'number',
  Boolean: 'boolean',
};
