// Defines what is remembered of a caller's description, and how schemas are assigned to callers.
import type { Caller } from '../../upstream/http/caller.ts';

/** How schemas are assigned to callers. */
export interface CallersOptions {
  /** `caller`: one schema for each caller's rights. `fixed`: the schema of the operator's credential for all. Default: caller. */
  readonly schemaMode?: 'caller' | 'fixed';
  /**
   * Whether the operator is a caller too, as in a command. The base schema is then the one that this caller gets, so that
   * neither the description is fetched nor the credential verified a second time. Default: false.
   */
  readonly operatorCalls?: boolean;
}

/** What the upstream last described to a caller. */
export interface CallerEntry {
  /** Identifies the description. */
  readonly fingerprint: string;
  /** The epoch in which the fetch began. In a later one, the description is outdated. */
  readonly epoch: string;
  /** Milliseconds since the description was fetched, when this entry was made. */
  readonly age: number;
}

/** A caller, and the languages in which they read; see `CallerLanguages`. */
export interface Reader {
  readonly caller: Caller;
  readonly languages: string;
}

/** The key under which the description of a caller is remembered. */
export const keyOf = ({ caller: { key }, languages }: Reader): string =>
  languages === '' ? key : `${key} ${languages}`;
