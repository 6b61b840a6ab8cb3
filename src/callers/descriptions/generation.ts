// Knows when the descriptions of all callers are outdated, in all replicas.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Replicas } from '../../sharing/replicas.ts';
import { isObject } from '../../upstream/json.ts';

/** Time between two checks whether another replica has begun a generation. Milliseconds. */
const INTERVAL = 2_000;
/** For how long the replicas store a generation. Milliseconds. */
const KEPT_FOR = 7 * 86_400_000;

/** The generation of descriptions. When a new one begins, all descriptions of the one before are outdated. */
export class Generation implements Disposable {
  readonly #replicas: Replicas;
  readonly #name: string;
  readonly #closing = new AbortController();
  /** The generation's id. Only this class sets it. */
  id: string = randomUUID();
  /** Whether this replica has begun the generation, and the others do not know it yet. */
  #isNew = false;

  /** @param api Distinguishes the API from others whose replicas share. */
  constructor(replicas: Replicas, api: string) {
    this.#replicas = replicas;
    this.#name = JSON.stringify(['generation', api]);
  }

  /** Takes over the generation of the other replicas, if there are any. */
  async join(): Promise<void> {
    const found = await this.#load();
    if (found === null) await this.#share();
    else this.id = found;
  }

  /** Begins a generation, in all replicas. */
  begin(): void {
    this.id = randomUUID();
    this.#isNew = true;
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
      // Redis may have lost it.
      if (this.#isNew || found === null) await this.#share();
      else if (found !== this.id) {
        this.id = found;
        onBegin();
      }
    }
  }

  async #load(): Promise<string | null> {
    const value = this.#replicas.hasOthers ? await this.#replicas.load(this.#name) : null;
    return isObject(value) && typeof value['id'] === 'string' ? value['id'] : null;
  }

  async #share(): Promise<void> {
    const id = this.id;
    if (!this.#replicas.hasOthers) return;
    const isStored = await this.#replicas.store(this.#name, { id }, KEPT_FOR);
    if (isStored && id === this.id) this.#isNew = false;
  }
}
