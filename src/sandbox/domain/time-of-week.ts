const minute = 60_000;
const day = 24 * 60 * minute;

/** A day of the week, 0 being Sunday, and minutes after its midnight, in UTC; one that is left out is any. */
export interface TimeOfWeek {
  readonly weekday: number | undefined;
  readonly minutes: number | undefined;
}

/** The first such time that is not before another, in milliseconds since 1970. */
export function nextTime({ weekday, minutes }: TimeOfWeek, from: number): number {
  const midnight = from - (from % day);
  const days = Array.from({ length: 8 }, (_, index) => midnight + index * day);
  const wanted = days.filter((start) => weekday === undefined || new Date(start).getUTCDay() === weekday);
  const times = wanted.map((start) =>
    minutes === undefined ? Math.max(start, from) : start + minutes * minute,
  );
  return times.find((time) => time >= from) ?? from;
}
