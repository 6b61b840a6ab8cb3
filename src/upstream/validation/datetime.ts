// Parses dates and times as the reference server does.

/** A Datetime as the server represents it: compared by its instant, printed in its original time zone. */
export class DatetimeValue {
  /** Seconds since 1970 and their fraction, e.g. `1580465430.123`; equal for equal instants. */
  readonly instant: string;
  /** As Ruby prints a time, e.g. `2020-01-31 10:20:00 +0200`. */
  readonly text: string;

  constructor(instant: string, text: string) {
    this.instant = instant;
    this.text = text;
  }
}

const ZONE = String.raw`(z|[+-]\d{2}(?::?\d{2})?)`;
const TIME = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?`;
const BASIC_ZONE = String.raw`(z|[+-]\d{2}(?:\d{2})?)`;
const BASIC_TIME = String.raw`(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d+))?)?`;

/** Calendar dates, alone or with a time: `2020-01-31T10:20:30.5+02:00` and `20200131T102030.5+0200`. */
const CALENDAR_FORMS = [
  String.raw`(\d{4})-(\d{2})-(\d{2})(?:t${TIME}${ZONE}?)?`,
  String.raw`(\d{4})(\d{2})(\d{2})(?:t?${BASIC_TIME}${BASIC_ZONE}?)?`,
].map((form) => new RegExp(`^${form}$`, 'i'));

/** Forms that the reference server accepts beyond the protocol: short, ordinal and week dates, and times alone. */
const OTHER_FORMS = [
  String.raw`(?:(?:[-+]?\d{2,}|-)-(?:\d{2})?(?:-\d{2})?|(?:[-+]?\d{2,})?-\d{3}|(?:\d{4}|\d{2})?-w\d{2}-\d|-w-\d)(?:t${TIME}${ZONE}?)?`,
  String.raw`(?:(?:[-+]?(?:\d{4}|\d{2})|--)(?:\d{2}|-)\d{2}|[-+]?(?:\d{4}|\d{2})\d{3}|-\d{3}|(?:\d{4}|\d{2})?w\d{3}|-w\d{3}|-w-\d)(?:t?${BASIC_TIME}${BASIC_ZONE}?)?`,
  `${TIME}${ZONE}?`,
  `${BASIC_TIME}${BASIC_ZONE}?`,
].map((form) => new RegExp(`^(?:${form})$`, 'i'));

/** Length of the longest text that the reference server parses. */
const MAX_LENGTH = 128;

/** The server's Gregorian calendar begins in this year, so dates up to it are left to the server. */
const LAST_MIXED_YEAR = 1582;

/**
 * Parses an ISO 8601 date or time as the reference server does. Null when the text is neither; `undecided` for a form beyond
 * the protocol that the server may accept.
 */
export function parseDatetime(raw: string): DatetimeValue | 'undecided' | null {
  if (raw.length > MAX_LENGTH || raw.includes('\0')) return null;
  const text = raw.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
  const match = CALENDAR_FORMS[0]?.exec(text) ?? CALENDAR_FORMS[1]?.exec(text);
  if (match) return calendarTime(match);
  return OTHER_FORMS.some((form) => form.test(text)) ? 'undecided' : null;
}

const ZONE_IN_RANGE = /^(?:z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i;

/** Whether a text is a Datetime of the protocol: a calendar date, alone or with a time and its zone. */
export function isDatetime(text: string): boolean {
  const match = CALENDAR_FORMS[0]?.exec(text) ?? CALENDAR_FORMS[1]?.exec(text);
  if (!match || parseDatetime(text) === null) return false;
  const [hour, zone] = [match[4], match[8]];
  return hour === undefined || (zone !== undefined && ZONE_IN_RANGE.test(zone));
}

function calendarTime(match: RegExpExecArray): DatetimeValue | 'undecided' | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  if (minute > 59 || second > 60 || hour > 24 || (hour === 24 && (minute > 0 || second > 0))) return null;
  if (year <= LAST_MIXED_YEAR) return 'undecided';
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  const zone = /^(?:z|([+-])(\d{2}):?(\d{2})?)$/i.exec(match[8] ?? 'z') ?? [];
  if (Number(zone[2] ?? 0) > 23 || Number(zone[3] ?? 0) > 59) return 'undecided';
  const offset = (zone[1] === '-' ? -1 : 1) * (Number(zone[2] ?? 0) * 60 + Number(zone[3] ?? 0));
  // A leap second equals the second before it.
  const local = Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59));
  const fraction = (match[7] ?? '').replace(/0+$/, '');
  const wall = new Date(local).toISOString();
  return new DatetimeValue(
    `${local / 1000 - offset * 60}.${fraction}`,
    `${wall.slice(0, 10)} ${wall.slice(11, 19)} ${zoneText(offset)}`,
  );
}

function zoneText(offset: number): string {
  const minutes = Math.abs(offset);
  const [hours, rest] = [Math.trunc(minutes / 60), minutes % 60];
  return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${String(rest).padStart(2, '0')}`;
}
