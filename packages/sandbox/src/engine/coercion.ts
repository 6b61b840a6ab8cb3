// Coerces input values to the types of their parameters, with the error messages of the protocol.
import type { TypedParameter } from './definition.ts';

const TRUE_WORDS: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 't', 'yes', 'y']);
const FALSE_WORDS: ReadonlySet<unknown> = new Set([false, 0, '0', 'false', 'f', 'no', 'n']);

/** A value that the parameter's type does not accept. The message is that of the protocol. */
export class InvalidValue extends Error {
  override readonly name = 'RefusedValue';
}

/**
 * Converts the value of a request to the parameter's type. The result is null only when the parameter is nullable. A
 * Datetime becomes ISO 8601 in UTC.
 * @throws RefusedValue when the value is not of the parameter's type.
 */
export function coerce(parameter: TypedParameter, raw: unknown): unknown {
  return isNullInput(parameter, raw) ? null : COERCIONS[parameter.type](raw);
}

/**
 * Whether the value of a request means null: an explicit null, or blank text for a nullable parameter. A required
 * parameter is never nullable.
 * @throws RefusedValue when the value is an explicit null and the parameter is not nullable.
 */
export function isNullInput(parameter: Pick<TypedParameter, 'nullable' | 'required'>, raw: unknown): boolean {
  const nullable = parameter.nullable === true && parameter.required !== true;
  if (raw === null && !nullable) throw new InvalidValue('cannot be null');
  return raw === null || (nullable && typeof raw === 'string' && raw.trim() === '');
}

/** Formats a value for an error message as Ruby's `inspect` does, because the reference server is written in Ruby. */
export function inspect(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `[${value.map(inspect).join(', ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value).map(([key, inner]) => `${inspect(key)} => ${inspect(inner)}`);
    return `{${pairs.join(', ')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value).replace(/#(?=[{$@])/g, '\\#') : String(value);
}

const COERCIONS: Readonly<Record<TypedParameter['type'], (raw: unknown) => unknown>> = {
  String: toText,
  Text: toText,
  Integer: toInteger,
  Float: toFloat,
  Boolean: toBoolean,
  Datetime: toDatetime,
  Custom: (raw) => raw,
};

function toText(raw: unknown): string {
  if (typeof raw === 'object') throw new InvalidValue(`not a valid string: ${inspect(raw)}`);
  return String(raw);
}

function toInteger(raw: unknown): number {
  if (typeof raw === 'number' && Number.isInteger(raw)) return raw;
  if (typeof raw === 'string' && /^[+-]?[0-9]+$/.test(raw.trim())) return Number(raw);
  throw new InvalidValue(`not a valid integer: ${inspect(raw)}`);
}

function toFloat(raw: unknown): number {
  const syntax = /^[+-]?(?=\.?[0-9])(?:[0-9]+(?:_[0-9]+)*)?(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?$/i;
  if (typeof raw === 'number') return raw;
  if (typeof raw === 'string' && syntax.test(raw.trim())) {
    const value = Number(raw.trim().replaceAll('_', ''));
    if (Number.isFinite(value)) return value;
  }
  throw new InvalidValue(`not a valid float: ${inspect(raw)}`);
}

function toBoolean(raw: unknown): boolean {
  const word = typeof raw === 'string' ? raw.trim().toLowerCase() : raw;
  if (TRUE_WORDS.has(word)) return true;
  if (FALSE_WORDS.has(word)) return false;
  throw new InvalidValue(`not a valid boolean: ${inspect(raw)}`);
}

const ISO_8601 =
  /^\s*(?<year>[+-]?\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)(?:T(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?\s*$/i;

function toDatetime(raw: unknown): string {
  const parts = typeof raw === 'string' ? ISO_8601.exec(raw)?.groups : undefined;
  const time = parts ? toMilliseconds(parts) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidValue(`not in ISO 8601 format: '${typeof raw === 'string' ? raw : inspect(raw)}'`);
  return new Date(time).toISOString();
}

function toMilliseconds(parts: Readonly<Record<string, string | undefined>>): number {
  const [year, month, day] = [Number(parts['year']), Number(parts['month']), Number(parts['day'])];
  const [hour, minute, second] = [parts['hour'], parts['minute'], parts['second']].map((part) =>
    Number(part ?? 0),
  );
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const dayExists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!dayExists || hour === undefined || hour > 24 || (minute ?? 0) > 59 || (second ?? 0) > 59)
    return Number.NaN;
  date.setUTCHours(hour, minute, second, Math.floor(Number(`0.${parts['fraction'] ?? 0}`) * 1000));
  return date.getTime() - parseOffset(parts['zone'] ?? 'Z');
}

/** The offset of a time zone from UTC, in milliseconds. */
function parseOffset(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}
