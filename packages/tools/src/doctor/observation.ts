// Defines what the checks of `doctor` report.
import { OptiongraphError } from '../../../../src/index.ts';

/** Something that a check has seen. */
export interface Observation {
  /**
   * `finding`: clients get errors, warnings or nulls, or cannot rely on what they get. `ok`: all is served.
   * `untried`: the check was not made.
   */
  readonly result: 'ok' | 'finding' | 'untried';
  readonly detail: string;
  /** What was seen: names and numbers, no texts of rows. */
  readonly example?: string;
  /** The override that settles it, or what else to do. */
  readonly remedy?: string;
}

/** What one check has shown. */
export interface CheckResult extends Observation {
  readonly check: string;
  /** Scopes of the actions that it concerns. Default: the API as a whole. */
  readonly where?: string;
}

/** Clients meet this fault of a list. */
export const finding = (detail: string, example: string, remedy: string): Observation => ({
  result: 'finding',
  detail,
  example,
  remedy,
});
/** A check of a list was not made. */
export const untried = (detail: string): Observation => ({ result: 'untried', detail });

/** Writes an override as it stands in the file. */
export const override = (key: string, name: string, value: unknown): string =>
  `override ${JSON.stringify(key)}: { ${JSON.stringify(name)}: ${JSON.stringify(value)} }`;

/** Says how the API has failed. */
export const describeFailure = ({ status, code }: OptiongraphError): string =>
  status === undefined ? code : `HTTP ${status}`;

/** Returns a failure of the API. @throws Any other error. */
export function failureOf(error: unknown): OptiongraphError {
  if (error instanceof OptiongraphError) return error;
  throw error;
}

/** The inputs that the API has refused; null where the API has not answered as it does to a refused call. */
export const refusedInputs = (failure: OptiongraphError): readonly string[] | null =>
  failure.code === 'ACTION_FAILED' && 'errors' in failure && failure.errors instanceof Map
    ? [...failure.errors.keys()]
    : null;
