// Runs something once for all replicas, and shares its result.
import { setTimeout as pause } from 'node:timers/promises';
import type { Replicas } from './replicas.ts';

/** What runs once. Times in milliseconds. */
export interface SharedRun<T extends object> {
  run(): Promise<T>;
  /** The result of another replica; null when it cannot be used, so that this replica runs too. */
  read(value: unknown): T | null;
  /** Longest time that a run takes. Another replica runs after it. */
  readonly duration: number;
  /** For how long the result is shared. */
  readonly keptFor: number;
}

/** Time after which a replica looks again for the result of another one. Milliseconds. */
const INTERVAL = 50;

/**
 * Runs something, or returns the result of the replica that runs it, or has run it lately. A run that fails is repeated by the replicas that
 * wait for it. Each replica may call this once at a time for a name.
 */
export async function runOnce<T extends object>(
  replicas: Replicas,
  name: string,
  { run, read, duration, keptFor }: SharedRun<T>,
): Promise<T> {
  if (!replicas.hasOthers) return run();
  for (;;) {
    const { isHeld } = await replicas.claim(name, duration);
    try {
      const known = read(await replicas.load(name));
      if (known !== null) return known;
      if (isHeld) {
        const result = await run();
        await replicas.store(name, result, keptFor);
        return result;
      }
    } finally {
      if (isHeld) void replicas.release(name);
    }
    await pause(INTERVAL);
  }
}

/** The result that is shared now, or soon if a replica runs. Removes it, so that no replica uses it from now on. */
export async function takeResult(replicas: Replicas, name: string, duration: number): Promise<unknown> {
  if (!replicas.hasOthers) return undefined;
  while (!(await replicas.claim(name, duration)).isHeld) await pause(INTERVAL);
  const value = await replicas.load(name);
  await replicas.remove(name);
  void replicas.release(name);
  return value;
}
