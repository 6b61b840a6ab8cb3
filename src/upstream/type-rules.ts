import type { Parameter } from './description.ts';

/** A value as the server will read it, or why it will refuse it. */
export type Coerced =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

const accept = (value: unknown): Coerced => ({ ok: true, value });
const refuse = (message: string): Coerced => ({ ok: false, message });

/** The protocol's type rules for a value that is neither omitted nor null (HaveAPI: typed input validation). */
export function coerce({ type, nullable }: Parameter, value: unknown): Coerced {
  // A blank text stands for null where null is allowed, so that query strings can say it.
  if (nullable === true && typeof value === 'string' && value.trim() === '') return accept(null);
  return RULES[type](value);
}

const RULES: Readonly<Record<Parameter['type'], (value: unknown) => Coerced>> = {
  Integer(value) {
    const text = typeof value === 'string' ? value.trim() : null;
    const number = text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : value;
    if (typeof number === 'number' && Number.isInteger(number)) return accept(number);
    return refuse(`not a valid integer: ${inspect(value)}`);
  },
  Float(value) {
    const text = typeof value === 'string' ? value.trim() : null;
    const number = text !== null && FLOAT.test(text) ? Number(text.replaceAll('_', '')) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return accept(number);
    return refuse(`not a valid float: ${inspect(value)}`);
  },
  Boolean(value) {
    const token = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (token === true || token === 1 || (typeof token === 'string' && TRUTHY.has(token)))
      return accept(true);
    if (token === false || token === 0 || (typeof token === 'string' && FALSY.has(token)))
      return accept(false);
    return refuse(`not a valid boolean: ${inspect(value)}`);
  },
  Datetime(value) {
    if (typeof value === 'string' && isDatetime(value.trim())) return accept(value);
    return refuse(`not in ISO 8601 format: '${toText(value)}'`);
  },
  String: text,
  Text: text,
  Custom: accept,
  // Which ids there are is the server's to know; some are no numbers.
  Resource: (value) =>
    typeof value === 'string' || typeof value === 'number'
      ? accept(value)
      : refuse(`not a valid ID: ${inspect(value)}`),
};

/** As Ruby reads a whole float, underscores between digits included. */
const FLOAT = /^[+-]?(\d+(_\d+)*(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i;
const TRUTHY: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y', '1']);
const FALSY: ReadonlySet<string> = new Set(['false', 'f', 'no', 'n', '0']);

function text(value: unknown): Coerced {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? accept(toText(value)) : refuse(`not a valid string: ${inspect(value)}`);
}

const ISO_8601 =
  /^(\d{4})(?:-(\d{2})-(\d{2})|(\d{2})(\d{2}))(?:T([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d)(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i;

/** Whether a text is a date, or a date with time and zone, that the calendar has. */
export function isDatetime(value: string): boolean {
  const [, year, dashMonth, dashDay, month = dashMonth, day = dashDay] = ISO_8601.exec(value) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** A value as the server prints it in the midst of a message. */
export function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? inspect(value) : String(value ?? '');
}

/** A value as the server prints it when it shows what it got. */
function inspect(value: unknown): string {
  // Ruby also escapes what would begin an interpolation.
  return value === null ? 'nil' : (JSON.stringify(value) ?? 'nil').replace(/#(?=[{$@])/g, '\\#');
}
