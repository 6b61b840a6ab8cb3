import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { isDatetime } from '../../upstream/validation/datetime.ts';
import { isFaithful, MAX_LEVELS } from './outputs.ts';

/** Integers that JavaScript holds exactly. */
export const SAFE_INT = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description:
    'An integer from -9007199254740991 to 9007199254740991. One beyond is an error, never a rounded number.',
  serialize: (value) => requireSafeInt(value),
  parseValue: (value) => requireSafeInt(value),
  parseLiteral: (node) => requireSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined, node),
});

function requireSafeInt(value: unknown, node?: ValueNode): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError(
    'SafeInt expects an integer from -9007199254740991 to 9007199254740991.',
    node ? { nodes: node } : {},
  );
}

/** Dates and times as the protocol writes them. */
export const DATE_TIME = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description:
    'A date or a time in ISO 8601: `2020-01-31`, or with time and zone `2020-01-31T10:20:30+01:00`. Output is the API’s own text, its offset kept.',
  serialize: String,
  parseValue: (value) => requireDateTime(value),
  parseLiteral: (node) => requireDateTime(node.kind === Kind.STRING ? node.value : undefined, node),
});

function requireDateTime(value: unknown, node?: ValueNode): string {
  if (typeof value === 'string' && isDatetime(value)) return value;
  throw new GraphQLError(
    'DateTime expects ISO 8601: a date such as 2020-01-31, or a time with its zone such as 2020-01-31T10:20:30Z.',
    node ? { nodes: node } : {},
  );
}

/** Free structure, as it came. */
export const JSON_SCALAR = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value; its structure is not described by the API.',
  serialize: (value) => value,
  parseValue: (value) => requireFaithful(value),
  parseLiteral: (node, variables) => requireFaithful(valueFromASTUntyped(node, variables), node),
});

function requireFaithful(value: unknown, node?: ValueNode): unknown {
  if (isFaithful(value)) return value;
  throw new GraphQLError(
    `JSON expects integers from -9007199254740991 to 9007199254740991, and at most ${MAX_LEVELS} levels.`,
    node ? { nodes: node } : {},
  );
}
