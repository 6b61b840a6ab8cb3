// Defines the three things that the replicas of a deployment share: counters, records and messages.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type * as z from 'zod';

/**
 * The other replicas of a deployment, as one replica sees them. No method rejects, and each answers within three seconds: where the others
 * cannot be reached, the replica is alone, and its messages reach nobody.
 *
 * Names may contain secrets, because they leave the machine as keyed hashes only. Messages and records leave it encrypted.
 */
export interface Replicas {
  /** Whether there may be other replicas. It does not change. */
  readonly hasOthers: boolean;
  /** How the others are reached, for operators; null where there are none. */
  readonly report: SharingReport | null;
  /**
   * Opens a channel to the replicas that have opened the same one. Messages of one replica arrive in their order, but any of them may
   * be lost.
   * @param onMessage Gets the messages of the other replicas. They are JSON of unknown form: another replica may run another version.
   */
  open(name: string, onMessage: (message: unknown) => void): Channel;
  /**
   * Stores a record for all replicas.
   * @param keptFor Milliseconds after which it is forgotten, at the latest.
   * @returns False when the others cannot be reached.
   */
  store(name: string, value: object, keptFor: number): Promise<boolean>;
  /**
   * Stores a record unless there is one of the name, and keeps it until its time is over: who adds records bounds them.
   * @param keptFor Milliseconds after which it is forgotten.
   * @returns Whether it is stored. False also when the others cannot be reached; it may be stored nevertheless.
   */
  add(name: string, value: object, keptFor: number): Promise<boolean>;
  /** The stored record, JSON of unknown form; undefined for none. */
  load(name: string): Promise<unknown>;
  remove(name: string): Promise<void>;
  /** Makes a limiter that counts for all replicas together. @param name Distinguishes it from others. */
  createLimiter(name: string, limit: Limit): Limiter;
  /** Hashes a text. The key is the deployment's, so that all replicas get the same hash, and nobody else can guess the text from it. */
  digest(text: string): string;
  /** Leaves the deployment. */
  close(): Promise<void>;
}

/** How much is allowed. */
export interface Limit {
  readonly points: number;
  /** Seconds from the first point of a key after which its points are forgotten. */
  readonly duration: number;
}

/** Counts points by key. Like names, keys may contain secrets. */
export interface Limiter {
  /** Adds points to those of a key. Default: 1; 0 only reads them. */
  count(key: string, points?: number): Promise<Counted>;
}

/** The points of a key. */
interface Counted {
  /** Whether there are more than the limit allows. */
  readonly isExceeded: boolean;
  /** How many more the limit allows. */
  readonly left: number;
  /** Milliseconds until the points of the key are forgotten. */
  readonly msBeforeNext: number;
}

/** A channel to other replicas. */
export interface Channel {
  /** Sends a message once the channel is open. Resolves when it is on its way, even if this process is killed then, or cannot be sent. */
  send(message: object): Promise<void>;
  close(): void;
}

/** Opens a channel, see `Replicas.open`. Messages of another form are ignored. */
export const openChannel = <Message>(
  replicas: Pick<Replicas, 'open'>,
  name: string,
  form: z.ZodType<Message>,
  onMessage: (message: Message) => void,
): Channel =>
  replicas.open(name, (content) => {
    const { data } = form.safeParse(content);
    if (data !== undefined) onMessage(data);
  });

/** How a replica reaches the others. It contains no address. */
export interface SharingReport {
  readonly isAlone: boolean;
  /** Seconds since that last changed. */
  readonly since: number;
  /** Why the replica is alone, e.g. `ECONNREFUSED`; null when it is not. */
  readonly reason: string | null;
}

/** Makes a limiter. @param digest Hashes keys, see `Replicas.digest`. */
export const createLimiter = (
  counter: Pick<RateLimiterAbstract, 'penalty' | 'points'>,
  digest: (text: string) => string,
): Limiter => ({
  async count(key, points = 1) {
    const { consumedPoints, remainingPoints, msBeforeNext } = await counter.penalty(digest(key), points);
    return { isExceeded: consumedPoints > counter.points, left: remainingPoints, msBeforeNext };
  },
});
