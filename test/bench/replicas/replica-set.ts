// The replicas of a deployment, each a process of the built program, which are killed and started again.
import { SERVE_READY, serveArgs } from '../requests/servers.ts';
import { PROBED, ServerProcess } from '../server-process.ts';

/** What the replicas share. */
const SECRET = 'secret-of-the-replicas-in-the-bench';

/** Running replicas. */
export class ReplicaSet implements AsyncDisposable {
  /** By their number, from 0. */
  readonly ports: readonly number[];
  readonly #processes: ServerProcess[];
  readonly #start: (port: number) => Promise<ServerProcess>;
  #kills = 0;

  private constructor(processes: ServerProcess[], start: (port: number) => Promise<ServerProcess>) {
    this.#processes = processes;
    this.#start = start;
    this.ports = processes.map(portOf);
  }

  /** @param redis The address of Redis. */
  static async start(count: number, upstream: string, redis: string): Promise<ReplicaSet> {
    const env = { REDIS_URL: redis, SESSION_SECRET: SECRET };
    const start = (port: number): Promise<ServerProcess> =>
      ServerProcess.start({
        args: [...PROBED, ...serveArgs(upstream, port)],
        ready: SERVE_READY,
        isMeasured: true,
        env,
      });
    const processes: ServerProcess[] = [];
    for (let index = 0; index < count; index += 1) processes.push(await start(0));
    return new ReplicaSet(processes, start);
  }

  /** Kills the next replica in turn without a warning, and starts another one at its port. */
  async killNext(): Promise<void> {
    const index = this.#kills % this.#processes.length;
    this.#kills += 1;
    await this.#processes[index]?.[Symbol.asyncDispose]();
    this.#processes[index] = await this.#start(this.ports[index] ?? 0);
  }

  /** Kills a replica without a warning. */
  async kill(index: number): Promise<void> {
    await this.#processes.splice(index, 1)[0]?.[Symbol.asyncDispose]();
  }

  /** Used memory of all together after a garbage collection, in MiB. */
  async heap(): Promise<number> {
    const heaps = await Promise.all(this.#processes.map((replica) => replica.heap()));
    return heaps.reduce((sum, heap) => sum + heap, 0);
  }

  /** CPU time of those that run, together since their starts, in milliseconds. */
  cpu(): number {
    return this.#processes.reduce((sum, replica) => sum + replica.cpu(), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#processes) await replica[Symbol.asyncDispose]();
  }
}

const portOf = ({ ready }: ServerProcess): number => Number(new URL(ready[0] ?? '').port);
