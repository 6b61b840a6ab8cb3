// Starts workers, and replaces those that end.
import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type BirpcReturn, createBirpc } from 'birpc';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { LocalDeployment } from '../../../sharing/local-replicas.ts';
import { serveWorker, type WorkerShare } from '../../../sharing/worker-replicas.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { Series } from '../../../telemetry/metrics/metrics.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import type { PrimaryFunctions, WorkerFunctions } from './join-primary.ts';

/** Pauses before a worker is replaced, by the number of those that ended shortly before. Milliseconds. */
const PAUSES = [0, 1_000, 5_000, 30_000];
/** Milliseconds without an end of a worker after which the next one is replaced at once. */
const CALM = 60_000;
/** Longest time in which a worker reads its metrics. Those of one that takes longer are left out. Milliseconds. */
const METRICS_TIMEOUT = 1_000;

/** A worker as its primary knows it. */
interface Seat {
  readonly number: number;
  readonly worker: Worker;
  readonly calls: BirpcReturn<WorkerFunctions, PrimaryFunctions>;
  isServing: boolean;
  /** Whether the settings are to be read again as soon as it serves. */
  mustReload: boolean;
}

/**
 * The workers of a primary. The first one starts alone, so that a failure of the start is reported once, and the others find the
 * descriptions that it has fetched. The group ends when none of its workers serves any more, as one process would: nobody listens then.
 */
export class WorkerGroup {
  readonly #size: number;
  readonly #log: Log;
  readonly #readMetrics: () => Promise<string>;
  readonly #deployment = new LocalDeployment();
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #seats = new Set<Seat>();
  readonly #stopping = new AbortController();
  #hasServed = false;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #endsInARow = 0;
  #exitCode: number = EXIT_CODES.ok;
  #resolveEnd: (exitCode: number) => void = () => undefined;
  /** Resolves with an exit code when the last worker has ended. */
  readonly ended = new Promise<number>((resolve) => {
    this.#resolveEnd = resolve;
  });

  /** @param readMetrics Reads the metrics of all, for a worker that serves them. */
  constructor(size: number, log: Log, readMetrics: () => Promise<string>) {
    this.#size = size;
    this.#log = log;
    this.#readMetrics = readMetrics;
  }

  start(): void {
    // It answers the limiters of the workers.
    new RateLimiterClusterMaster();
    this.#add(1);
  }

  /** Has all workers read the settings again, and one of them the description. */
  reload(): void {
    let refreshes = true;
    for (const seat of this.#seats) {
      if (!seat.isServing) seat.mustReload = true;
      else {
        void seat.calls.reload.asEvent(refreshes);
        refreshes = false;
      }
    }
  }

  /** Asks all workers to finish what is under way. */
  stop(): void {
    this.#stopping.abort();
    for (const { worker } of this.#seats) worker.process.kill('SIGTERM');
  }

  /** Ends all workers at once. */
  kill(): void {
    for (const { worker } of this.#seats) worker.process.kill('SIGKILL');
  }

  series(): Promise<readonly Series[]> {
    return Promise.all([...this.#seats].map(({ calls }) => calls.series().catch(() => [])));
  }

  #add(number: number): void {
    const worker = cluster.fork();
    // A message to a worker that has just ended fails. Its exit follows.
    worker.on('error', () => undefined);
    const member = this.#deployment.join();
    const share = serveWorker(member, (channel, message) => void calls.receive.asEvent(channel, message));
    const functions: PrimaryFunctions = {
      ...share.calls,
      join: () => ({ number, isFirst: !this.#hasServed, id: member.id, secret: this.#secret }),
      serving: () => this.#onServing(seat),
      metrics: () => this.#readMetrics(),
    };
    const calls = createBirpc<WorkerFunctions, PrimaryFunctions>(functions, {
      post: (message) => worker.send(message),
      on: (onMessage) => void worker.on('message', onMessage),
      timeout: METRICS_TIMEOUT,
    });
    const seat: Seat = { number, worker, calls, isServing: false, mustReload: false };
    this.#seats.add(seat);
    worker.once('exit', (code: number | null, signal) => this.#onExit(seat, share, code, signal));
  }

  #onServing(seat: Seat): void {
    seat.isServing = true;
    if (seat.mustReload) void seat.calls.reload.asEvent(false);
    if (!this.#hasServed) for (let number = 2; number <= this.#size; number += 1) this.#add(number);
    this.#hasServed = true;
    const serving = [...this.#seats].filter(({ isServing }) => isServing).length;
    if (serving === this.#size) this.#log.info(`all ${serving} workers serve`, { event: 'workers' });
  }

  #onExit(seat: Seat, share: WorkerShare, code: number | null, signal: string | null): void {
    this.#seats.delete(seat);
    void share.close();
    seat.calls.$close();
    const isStopping = this.#stopping.signal.aborted;
    const end = `worker ${seat.number} has ended (${signal ?? `exit code ${code}`})`;
    if (!isStopping && [...this.#seats].some(({ isServing }) => isServing))
      return void this.#replace(seat.number, end);
    // A worker that has just been started does not handle these signals yet. A terminal sends SIGINT to all processes.
    const isAsked = signal === 'SIGTERM' || signal === 'SIGINT';
    this.#exitCode ||= isAsked ? EXIT_CODES.ok : (code ?? EXIT_CODES.failed);
    if (!isStopping) {
      // A worker that ends by itself at its start says why.
      if (this.#hasServed || (signal !== null && !isAsked))
        this.#log.error(`${end}, and no other one serves, so the program ends`);
      this.stop();
    }
    if (this.#seats.size === 0) this.#resolveEnd(this.#exitCode);
  }

  async #replace(number: number, end: string): Promise<void> {
    const now = performance.now();
    if (now - this.#lastEnd > CALM) this.#endsInARow = 0;
    const delay = PAUSES[this.#endsInARow] ?? PAUSES.at(-1);
    this.#endsInARow += 1;
    this.#lastEnd = now;
    const when = delay === 0 ? 'now' : `in ${delay} ms`;
    this.#log.warn(`${end}; another one starts ${when}`, { event: 'workers' });
    const { signal } = this.#stopping;
    await pause(delay, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) this.#add(number);
  }
}
