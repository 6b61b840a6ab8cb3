// Defines what the checks of `doctor` report.

/** What one check has shown. */
export interface CheckResult {
  readonly check: string;
  /**
   * `finding`: clients get errors, warnings or nulls, or cannot rely on what they get. `ok`: all is served; the detail names a cost, if there
   * is one. `untried`: the check was not made.
   */
  readonly result: 'ok' | 'finding' | 'untried';
  readonly detail: string;
  /** Scopes of the actions that it concerns. Default: the API as a whole. */
  readonly where?: string;
  /** What was seen: names and numbers, no texts of rows. */
  readonly example?: string;
  /** The override that settles it, or what else to do. */
  readonly remedy?: string;
}

/** A check that has found nothing wrong. */
export const ok = (check: string, detail: string): CheckResult => ({ check, result: 'ok', detail });
/** A check that has found something. */
export const finding = (check: string, detail: string): CheckResult => ({ check, result: 'finding', detail });

/** Something that a check has seen in one list. */
export type Observation = Omit<CheckResult, 'check' | 'where'>;

/** Writes an override as it stands in the file. */
export const override = (key: string, name: string, value: unknown): string =>
  `override ${JSON.stringify(key)}: { ${JSON.stringify(name)}: ${JSON.stringify(value)} }`;
