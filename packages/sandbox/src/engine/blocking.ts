// Defines the types of blocking actions, their states and their locks.
import type { Caller, Outcome, Row } from './definition.ts';

/** An object that can be locked, by the name of its resource and its id: `['dataset', 5]`. */
export type LockTarget = readonly [resource: string, id: number];

/** What the state of a blocking action says about its work. */
export interface WorkDescription {
  readonly label: string;
  /** The number of steps of the action. */
  readonly total: number;
  /** The unit of the steps. Default: transactions. */
  readonly unit?: string;
  /** Default: false. */
  readonly canCancel?: boolean;
}

/** One run of a blocking action. */
export interface ActionRun extends WorkDescription {
  readonly scope: string;
  /** The caller who started the action. Null: an anonymous caller; anyone who knows the id may then read the state. */
  readonly caller: Pick<Caller, 'id'> | null;
  /** The objects that are locked until the action ends. */
  readonly lockTargets: readonly LockTarget[];
  /**
   * Returns the earliest time at which the action may end, given the time at which it begins. Both are in milliseconds
   * since 1970. The action waits before its last step until then. Default: it does not wait.
   */
  earliestEnd?(begin: number): number;
  /** Called when the action succeeds. */
  onSuccess?(): void;
  /** Called when the action fails. */
  onFailure?(): void;
}

/** The states of blocking actions, for use by the actions of the API. */
export interface ActionStates {
  /** Starts an action and returns the id of its state. */
  start(run: ActionRun): number;
  /** Finds a state of the caller or of an anonymous caller. Undefined when there is none or it has expired. */
  find(caller: Caller | null, id: number): Row | undefined;
  /** Returns the caller's unfinished states, oldest first. */
  listUnfinished(caller: Caller | null): readonly Row[];
  /** Resolves when the state changes, or after `ms` milliseconds. Rejects when the signal aborts. */
  waitForChange(id: number, ms: number, signal: AbortSignal): Promise<void>;
  /** Starts to roll the action back. */
  cancel(state: Row, scope: string): Outcome;
  /** Finds the first lock on any of the objects. */
  findLock(targets: readonly LockTarget[]): Lock | undefined;
}

/** A locked object and the action that holds the lock. */
export interface Lock {
  readonly target: LockTarget;
  /** The label of the action. */
  readonly label: string;
  /** The id of the action's state. */
  readonly id: number;
}
