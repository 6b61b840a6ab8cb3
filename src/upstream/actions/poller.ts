// Defines what polls the running actions of one caller, and what its listener gets.
import type { PollerCause } from '../../telemetry/observer.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';

/** The two ways to watch an action: by its id, or because it is in the list of the caller's unfinished actions. */
export type WatchKind = 'watched' | 'listed';

/** An action that is watched by its id. */
export interface PolledAction {
  readonly id: string;
  /** Its first reader, for telemetry. */
  readonly cause: PollerCause;
  /** The last state that is known when polling begins; null for none. */
  readonly state: JsonObject | null;
  /** The meters of its readers, in the order of joining; null for readers whose polls are not counted. */
  readonly meters: Iterable<CallMeter | null>;
  /** Makes a meter for its polls. */
  openMeter(): CallMeter;
}

/** Receives what a poller reads. */
export interface PollerListener {
  /** An action has ended. Called before the listener gets its last state. */
  onEnd(id: string): void;
  /** A state has been read, whether it has changed or not. A finished one is the last of its action. */
  onState(kind: WatchKind, id: string, state: JsonObject): void;
  /** An action, or the list (`id` is null), cannot be read, and is polled no longer. */
  onFailure(id: string | null, error: unknown): void;
}

/** Polls the running actions of one caller. Each is polled until it ends, cannot be read, or is removed. */
export interface Poller {
  /** Polls, from now on, those of the actions that it does not poll yet. The listener may be called before this returns. */
  add(actions: readonly PolledAction[]): void;
  remove(id: string): void;
  /**
   * Reads the list of unfinished actions from now on; null: no longer.
   * @param ids Actions that were unfinished when they were last seen. The listener gets the end of those that have ended since.
   */
  watchList(ids: Iterable<string> | null): void;
  /** Ends all polling. The listener is not called from now on. */
  close(): void;
}
