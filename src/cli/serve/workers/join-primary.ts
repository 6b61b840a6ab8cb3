// Connects a worker with its primary.
import cluster from 'node:cluster';
import { type BirpcReturn, createBirpc } from 'birpc';
import { joinWorkers, type WorkerReplicas } from '../../../sharing/worker-replicas.ts';
import type { PrimaryFunctions, Welcome, WorkerFunctions } from './worker-calls.ts';

/** This process, as one of several workers. */
export interface WorkerPlace extends Welcome, Pick<WorkerReplicas, 'replicas'> {
  readonly primary: BirpcReturn<PrimaryFunctions, object>;
  /** Answers these calls of the primary from now on. */
  handle(handlers: Partial<Pick<WorkerFunctions, 'reload' | 'series'>>): void;
}

/** Joins the primary; null where this process is no worker. */
export async function joinPrimary(): Promise<WorkerPlace | null> {
  if (!cluster.isWorker) return null;
  const functions: WorkerFunctions = {
    receive: () => undefined,
    reload: () => undefined,
    series: async () => [],
  };
  const primary = createBirpc<PrimaryFunctions, WorkerFunctions>(functions, {
    // A call after the end of the channel has no effect.
    post: (message) => process.send?.(message, undefined, undefined, () => undefined),
    on: (onMessage) => void process.on('message', onMessage),
    timeout: -1,
  });
  const welcome = await primary.join();
  const { replicas, receive } = joinWorkers(welcome.id, welcome.secret, primary);
  functions.receive = receive;
  return {
    ...welcome,
    replicas,
    primary,
    handle: (handlers) => void Object.assign(functions, handlers),
  };
}
