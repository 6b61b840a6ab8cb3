// Connects a worker with its primary, and defines the calls between them.
import cluster from 'node:cluster';
import { type BirpcReturn, createBirpc } from 'birpc';
import { joinWorkers, type SharedByPrimary, type WorkerReplicas } from '../../../sharing/worker-replicas.ts';
import type { Series } from '../../../telemetry/metrics/metrics.ts';

/** What a worker needs to know at its start. */
export interface Welcome {
  /** Its number, from 1. A worker that replaces another one takes over its number. */
  readonly number: number;
  /** Whether no worker has served yet. */
  readonly isFirst: boolean;
  /** Identifies it among the workers. */
  readonly id: string;
  /** A random secret that all workers get, but nobody else. */
  readonly secret: string;
}

/** What a worker asks of its primary. */
export interface PrimaryFunctions extends SharedByPrimary {
  join(): Welcome;
  /** The worker serves from now on. */
  serving(): void;
  /** The metrics of all workers, as a text. */
  metrics(): Promise<string>;
}

/** What the primary asks of a worker. */
export interface WorkerFunctions {
  receive(channel: number, message: unknown): void;
  /** Reads the settings again. @param refreshes Whether this worker fetches the description again too; the others follow. */
  reload(refreshes: boolean): void;
  series(): Promise<Series>;
}

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
