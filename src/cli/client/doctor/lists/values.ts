// Checks that the values of rows can be represented.
import { type GraphQLObjectType, getNamedType, isEnumType, isObjectType } from 'graphql';
import { parameterOf, resourceOf } from '../../../../schema/origin.ts';
import { isBeyondSafe } from '../../../../schema/types/outputs.ts';
import type { Observation } from '../check-result.ts';
import type { Check, CheckInput } from './check.ts';

/** Finds integers that a JavaScript number cannot hold, and values that an enum lacks. */
export const checkValues: Check = (input) => {
  const { list, schema } = input;
  const path = list.resource.path.join('.');
  const type = Object.values(schema.getTypeMap()).find((one) => resourceOf(one)?.join('.') === path);
  if (!isObjectType(type)) return [];
  return [...findLargeIntegers(input, type), ...findUnknownValues(input, type)];
};

/** The fields of a type with the names of their outputs. */
const outputsOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).flatMap((field) => {
    const parameter = parameterOf(field);
    return parameter === null ? [] : [{ field, name: parameter.name, type: getNamedType(field.type) }];
  });

function findLargeIntegers(
  { sample: { rows } }: CheckInput,
  rowType: GraphQLObjectType,
): readonly Observation[] {
  return outputsOf(rowType).flatMap(({ field, name, type }): readonly Observation[] => {
    const large = type.name === 'SafeInt' ? rows.filter((row) => isBeyondSafe(row[name])).length : 0;
    if (large === 0) return [];
    return [
      {
        result: 'finding',
        detail: `the integers of the output "${name}" are beyond 2^53, and an error in each such row`,
        example: `${large} of ${rows.length} rows`,
        remedy: `override "bigInts": ${JSON.stringify([`${rowType.name}.${field.name}`])}`,
      },
    ];
  });
}

function findUnknownValues(
  { sample: { rows } }: CheckInput,
  rowType: GraphQLObjectType,
): readonly Observation[] {
  return outputsOf(rowType).flatMap(({ name, type }): readonly Observation[] => {
    if (!isEnumType(type)) return [];
    const known = new Set(type.getValues().map(({ value }) => value));
    const unknown = rows.filter((row) => typeof row[name] === 'string' && !known.has(row[name])).length;
    if (unknown === 0) return [];
    return [
      {
        result: 'finding',
        detail: `rows have values of "${name}" that are not described`,
        example: `${unknown} of ${rows.length} rows`,
        remedy: `override "enumValues": { ${JSON.stringify(type.name)}: [the values] }`,
      },
    ];
  });
}
