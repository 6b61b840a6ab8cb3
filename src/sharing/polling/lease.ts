// Holds a lease for one replica at a time, which leads the others.
import type { Claim, Replicas } from '../replicas.ts';
import type { SharedPoller } from './shared-poller.ts';

/** How long a replica may lead after it was last seen, and how often it is seen. Milliseconds. */
export type LeaseTimes = readonly [duration: number, renewal: number];

/** The part of one replica in a lease, until it is closed. See the drawing in `shared-poller.ts`. */
export class Lease {
  readonly #replicas: Replicas;
  readonly #name: string;
  readonly #times: LeaseTimes;
  readonly #candidate: SharedPoller;
  #claim: Claim = { isHeld: false, isAlone: false, token: Number.NEGATIVE_INFINITY, endsAt: 0 };
  #isTermOver = false;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(replicas: Replicas, name: string, times: LeaseTimes, candidate: SharedPoller) {
    this.#replicas = replicas;
    this.#name = name;
    this.#times = times;
    this.#candidate = candidate;
    void this.#beat();
  }

  /** Whether this replica leads now: another one may have the lease since it has run out. */
  get isHeld(): boolean {
    return this.#claim.isHeld && performance.now() < this.#claim.endsAt;
  }

  /** Makes the next beat begin a new term if the lease is still held. */
  endTerm(): void {
    this.#isTermOver = true;
  }

  /** Claims at once, because the holder has gone. */
  claimNow(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    void this.#beat();
  }

  /** Gives the lease up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#replicas.release(this.#name);
  }

  async #beat(): Promise<void> {
    const [duration, renewal] = this.#times;
    this.#timer = null;
    const before = this.#claim;
    let claim = await this.#replicas.claim(this.#name, duration);
    const isBack = before.isAlone && !claim.isAlone;
    if (isBack && !this.#isClosed) {
      this.#candidate.pause();
      claim = await this.#replicas.claim(this.#name, duration);
      this.#candidate.limitTokens(claim.token);
    }
    if (this.#isClosed) return;
    const hasHeld = this.isHeld && !isBack && claim.isAlone === before.isAlone;
    this.#claim = claim;
    if (!claim.isHeld) this.#candidate.follow();
    else if (!hasHeld || this.#isTermOver) this.#candidate.lead(claim.token);
    this.#isTermOver = false;
    this.#candidate.onBeat();
    this.#timer = setTimeout(() => void this.#beat(), renewal);
  }
}
