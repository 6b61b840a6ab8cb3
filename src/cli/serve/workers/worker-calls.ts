// Defines the calls between the primary and its workers.
import type { SharedByPrimary } from '../../../sharing/worker-replicas.ts';
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
