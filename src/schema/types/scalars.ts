// Defines the custom scalars `SafeInt`, `BigInt`, `DateTime` and `JSON`.
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { exactInteger, type LongInteger } from '../../upstream/json.ts';
import { isDatetime } from '../../upstream/validation/datetime.ts';
import { isFaithful, MAX_LEVELS } from './values.ts';

/** Maximum length of a large integer, in characters. */
const MAX_BIG_INT_LENGTH = 1_000;

/** Maximum length of a date and time, in characters. A fraction of a second with 30 digits and a zone fits. */
const MAX_DATE_TIME_LENGTH = 64;

/**
 * Maximum length of a JSON input value, in characters of its text: a quarter of what a request may contain. Each field that uses
 * the value writes it again for the API.
 */
const MAX_JSON_LENGTH = 262_144;

/** The value of a literal whose kind a scalar accepts; undefined for others. */
const literal = (node: ValueNode, ...kinds: readonly Kind[]): string | undefined =>
  kinds.includes(node.kind) && 'value' in node ? String(node.value) : undefined;

const refuse = (message: string, node?: ValueNode): never => {
  throw new GraphQLError(message, node ? { nodes: node } : {});
};

/** Integers that JavaScript represents exactly. */
export const SAFE_INT = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  specifiedByURL: 'https://tc39.es/ecma262/#sec-number.issafeinteger',
  description:
    'An integer from -9007199254740991 to 9007199254740991. A value outside this range is an error; it is never rounded.',
  serialize: (value) => requireSafeInt(value),
  parseValue: (value) => requireSafeInt(value),
  parseLiteral: (node) => requireSafeInt(Number(literal(node, Kind.INT)), node),
});

function requireSafeInt(value: unknown, node?: ValueNode): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return refuse('SafeInt expects an integer from -9007199254740991 to 9007199254740991.', node);
}

/** Integers of any size, as text. */
export const BIG_INT = new GraphQLScalarType<number | LongInteger, string>({
  name: 'BigInt',
  specifiedByURL: 'https://tc39.es/ecma262/#sec-bigint-objects',
  description:
    'An integer of any size. Output is a string of decimal digits, e.g. `"18446744073709551616"`. Input is such a string, or an integer; a variable that is a number must be from -9007199254740991 to 9007199254740991.',
  serialize: String,
  parseValue: (value) => requireBigInt(value),
  parseLiteral: (node) => requireBigInt(literal(node, Kind.STRING, Kind.INT), node),
});

function requireBigInt(value: unknown, node?: ValueNode): number | LongInteger {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'string' && value.length <= MAX_BIG_INT_LENGTH && /^(?:0|-?[1-9]\d*)$/.test(value))
    return exactInteger(value);
  return refuse(
    `BigInt expects a string of decimal digits without leading zeros, at most ${MAX_BIG_INT_LENGTH} characters, or an integer from -9007199254740991 to 9007199254740991.`,
    node,
  );
}

/** Dates and times in the formats of the protocol. */
export const DATE_TIME = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  specifiedByURL: 'https://www.w3.org/TR/NOTE-datetime',
  description:
    'An ISO 8601 encoded date, e.g. `2020-01-31`, or time with zone, e.g. `2020-01-31T10:20:30+01:00`. Output is the text of the API with its offset unchanged.',
  serialize: String,
  parseValue: (value) => requireDateTime(value),
  parseLiteral: (node) => requireDateTime(literal(node, Kind.STRING), node),
});

function requireDateTime(value: unknown, node?: ValueNode): string {
  if (typeof value === 'string' && value.length > MAX_DATE_TIME_LENGTH)
    return refuse(
      `DateTime expects at most ${MAX_DATE_TIME_LENGTH} characters; the value has ${value.length}.`,
      node,
    );
  if (typeof value === 'string' && isDatetime(value)) return value;
  return refuse(
    'DateTime expects ISO 8601: a date such as 2020-01-31, or a time with its zone such as 2020-01-31T10:20:30Z.',
    node,
  );
}

/** JSON values, passed on unchanged. */
export const JSON_SCALAR = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value. The API does not describe its structure.',
  serialize: (value) => value,
  parseValue: (value) => requireFaithful(value),
  parseLiteral: (node, variables) => requireFaithful(valueFromASTUntyped(node, variables), node),
});

function requireFaithful(value: unknown, node?: ValueNode): unknown {
  if (!isFaithful(value))
    return refuse(
      `JSON expects integers from -9007199254740991 to 9007199254740991, other numbers in the range of double precision, and at most ${MAX_LEVELS} levels.`,
      node,
    );
  const { length } = JSON.stringify(value ?? null);
  if (length <= MAX_JSON_LENGTH) return value;
  return refuse(`JSON expects at most ${MAX_JSON_LENGTH} characters; the value has ${length}.`, node);
}
