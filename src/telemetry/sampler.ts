// Chooses which of many equal events are logged.

/** Shortest time between two lines about the same thing. Milliseconds. */
const INTERVAL = 10_000;

/** The events that one line stands for. */
interface Sample {
  /** Since the last line, with this one. */
  readonly hits: number;
  /** Since the start. */
  readonly total: number;
}

/** Makes a function that counts events by name. It returns what to log: at the first event, and then at most every ten seconds. */
export function createSampler(): (name: string) => Sample | null {
  const counts = new Map<string, { hits: number; total: number; loggedAt: number }>();
  return (name) => {
    const now = performance.now();
    const count = counts.get(name) ?? { hits: 0, total: 0, loggedAt: Number.NEGATIVE_INFINITY };
    counts.set(name, count);
    count.hits += 1;
    count.total += 1;
    if (now - count.loggedAt < INTERVAL) return null;
    const { hits, total } = count;
    Object.assign(count, { hits: 0, loggedAt: now });
    return { hits, total };
  };
}
