// Computes the next occurrence of a time of the week, in UTC.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A weekday (0 is Sunday) and minutes after midnight, in UTC. An undefined part matches any value. */
export interface TimeOfWeek {
  readonly weekday: number | undefined;
  readonly minutes: number | undefined;
}

/** The first matching time at or after `from`. Both are in milliseconds since 1970. */
export function nextTime({ weekday, minutes }: TimeOfWeek, from: number): number {
  const midnight = from - (from % DAY_MS);
  const days = Array.from({ length: 8 }, (_, index) => midnight + index * DAY_MS);
  const matchingDays = days.filter(
    (start) => weekday === undefined || new Date(start).getUTCDay() === weekday,
  );
  const times = matchingDays.map((start) =>
    minutes === undefined ? Math.max(start, from) : start + minutes * MINUTE_MS,
  );
  return times.find((time) => time >= from) ?? from;
}
