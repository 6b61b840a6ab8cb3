// Checks that the values of rows can be represented.
import { getNamedType, isEnumType, isObjectType } from 'graphql';
import { parameterOf, resourceOf } from '../../../../schema/origin.ts';
import type { Observation } from '../check-result.ts';
import type { Check, CheckInput } from './check.ts';

/** Finds integers that JavaScript rounds, and values that an enum lacks. */
export const checkValues: Check = (input) => [...findLargeIntegers(input), ...findUnknownValues(input)];

function findLargeIntegers({ list, sample: { rows } }: CheckInput): readonly Observation[] {
  return list.action.output.parameters.flatMap(({ name, type }): readonly Observation[] => {
    const large = rows.filter((row) => type === 'Integer' && isLarge(row[name])).length;
    if (large === 0) return [];
    return [
      {
        result: 'finding',
        detail: `the integers of the output "${name}" are beyond 2^53, and an error in each such row`,
        example: `${large} of ${rows.length} rows`,
        remedy: 'let the API describe and send it as a text',
      },
    ];
  });
}

const isLarge = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

function findUnknownValues({ list, sample: { rows }, schema }: CheckInput): readonly Observation[] {
  const path = list.resource.path.join('.');
  const type = Object.values(schema.getTypeMap()).find((one) => resourceOf(one)?.join('.') === path);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field): readonly Observation[] => {
    const served = getNamedType(field.type);
    const name = parameterOf(field)?.name;
    if (!isEnumType(served) || name === undefined) return [];
    const known = new Set(served.getValues().map(({ value }) => value));
    const unknown = rows.filter((row) => typeof row[name] === 'string' && !known.has(row[name])).length;
    if (unknown === 0) return [];
    return [
      {
        result: 'finding',
        detail: `rows have values of "${name}" that are not described`,
        example: `${unknown} of ${rows.length} rows`,
        remedy: `override "enumValues": { ${JSON.stringify(served.name)}: [the values] }`,
      },
    ];
  });
}
