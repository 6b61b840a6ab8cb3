// Knows when the descriptions of all callers are outdated, in all replicas.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Replicas } from '../../sharing/replicas.ts';

/** Time between two checks whether another replica has begun a generation. Milliseconds. */
const INTERVAL = 2_000;
/** For how long the replicas store a generation. Milliseconds. */
const KEPT_FOR = 7 * 86_400_000;

/** A generation as replicas share it. */
const begun = z.object({
  id: z.string(),
  /** As `Date.now()`, and later than the generation before. */
  begunAt: z.number(),
});
type Begun = z.infer<typeof begun>;

/** The generation of descriptions. When a new one begins, all descriptions of the one before are outdated. */
export class Generation implements Disposable {
  readonly #replicas: Replicas;
  readonly #name: string;
  readonly #closing = new AbortController();
  /** The generation's id. Only this class sets it. */
  id: string = randomUUID();
  #begunAt = Date.now();

  /** @param api Distinguishes the API from others whose replicas share. */
  constructor(replicas: Replicas, api: string) {
    this.#replicas = replicas;
    this.#name = JSON.stringify(['generation', api]);
  }

  /** Takes over the generation of the other replicas, if there are any. */
  async join(): Promise<void> {
    const found = await this.#load();
    if (found === null) await this.#share();
    else this.#take(found);
  }

  /** Begins a generation, in all replicas. */
  begin(): void {
    this.#take({ id: randomUUID(), begunAt: Math.max(Date.now(), this.#begunAt + 1) });
    void this.#share();
  }

  /** Checks for new generations from now on. @param onBegin Called when another replica has begun one. */
  watch(onBegin: () => void): void {
    if (this.#replicas.hasOthers) void this.#watch(onBegin);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #watch(onBegin: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await pause(INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const found = await this.#load();
      // Redis may have lost this one, or have got an earlier one since: replicas reach it again one after the other.
      if (found === null || isLater(this.#known, found)) await this.#share();
      else if (isLater(found, this.#known)) {
        this.#take(found);
        onBegin();
      }
    }
  }

  get #known(): Begun {
    return { id: this.id, begunAt: this.#begunAt };
  }

  #take({ id, begunAt }: Begun): void {
    this.id = id;
    this.#begunAt = begunAt;
  }

  async #load(): Promise<Begun | null> {
    const value = this.#replicas.hasOthers ? await this.#replicas.load(this.#name) : null;
    return begun.safeParse(value).data ?? null;
  }

  async #share(): Promise<void> {
    if (this.#replicas.hasOthers) await this.#replicas.store(this.#name, this.#known, KEPT_FOR);
  }
}

/** Whether all replicas take the one over in place of the other. Of two that have begun at the same time, one is the later for all. */
const isLater = (one: Begun, other: Begun): boolean =>
  one.begunAt === other.begunAt ? one.id > other.id : one.begunAt > other.begunAt;
