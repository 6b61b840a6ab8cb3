// Runs replicas of the built program that are restarted.
import { ADDRESS, runCli } from './cli.ts';
import { REPLICAS_SECRET } from './redis.ts';
import type { ExitResult, RunningProcess } from './running-process.ts';

/** A replica in a process of its own. */
export interface ReplicaProcess extends AsyncDisposable {
  readonly port: number;
  /** Ends the process by a signal, and starts another one at the same port. Returns how the first one has ended. */
  restart(signal: NodeJS.Signals): Promise<ExitResult>;
}

/** @param redis The address of Redis. @param args Further arguments of `serve`. */
export async function startReplicaProcess(
  upstream: string,
  redis: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ReplicaProcess> {
  const start = async (port: number): Promise<readonly [RunningProcess, number]> => {
    const running = runCli(['serve', '--port', `${port}`, '--upstream', upstream], {
      ...env,
      REDIS_URL: redis,
      SESSION_SECRET: REPLICAS_SECRET,
    });
    const [, url = ''] = await running.waitForOutput(ADDRESS);
    return [running, Number(new URL(url).port)];
  };
  let [running, port] = await start(0);
  return {
    port,
    async restart(signal) {
      running.signal(signal);
      const end = await running.ended;
      [running, port] = await start(port);
      return end;
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
