import type { Caller, Outcome, Row } from './definition.ts';

/** What can be locked, by the name of its resource: `['dataset', 5]`. */
export type Thing = readonly [resource: string, id: number];

/** What a blocking action looks like from outside. */
export interface Work {
  readonly label: string;
  /** Steps to its end. */
  readonly total: number;
  /** Default: transactions. */
  readonly unit?: string;
  /** Default: false. */
  readonly canCancel?: boolean;
}

/** One blocking action under way. */
export interface Run extends Work {
  readonly scope: string;
  /** Whose it is; null: an anonymous caller's, so whoever knows the id of its state may follow it. */
  readonly caller: Pick<Caller, 'id'> | null;
  /** Locked until it ends. */
  readonly touches: readonly Thing[];
  /** When it may end, given when it begins, both in milliseconds since 1970; until then it is one step short. Default: at once. */
  due?(begin: number): number;
  /** Done when it succeeds. */
  end?(): void;
  /** Done when it fails. */
  undo?(): void;
}

/** The states of blocking actions, as actions of the API use them. */
export interface ActionStates {
  /** Starts an action and returns the id of its state. */
  start(run: Run): number;
  /** A state of the caller's, or of an anonymous one; undefined where there is none, or none any more. */
  find(caller: Caller | null, id: number): Row | undefined;
  /** The caller's unfinished states, oldest first. */
  pending(caller: Caller | null): readonly Row[];
  /** Resolves when a state changes, or after so many milliseconds; rejects when the signal aborts. */
  change(id: number, ms: number, signal: AbortSignal): Promise<void>;
  /** Begins to roll an action back. */
  cancel(state: Row, scope: string): Outcome;
  /** The first lock on any of the things, and the action that holds it. */
  lockOf(things: readonly Thing[]): Lock | undefined;
}

/** A locked thing, and the action that holds it. */
export interface Lock {
  readonly thing: Thing;
  readonly label: string;
  /** Of the action's state. */
  readonly id: number;
}
