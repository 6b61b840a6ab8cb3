// Collects findings while a schema is assembled and served.
import type { Finding } from '../../upstream/description/description.ts';

/** Collects findings about parts of a description that are omitted or renamed. */
export class Report {
  readonly #findings: Finding[];
  readonly #onLate: (finding: Finding) => void;

  /**
   * @param findings Findings from parsing the description.
   * @param onLate Called for each finding that is added while the schema is served.
   */
  constructor(findings: readonly Finding[] = [], onLate: (finding: Finding) => void = () => undefined) {
    this.#findings = [...findings];
    this.#onLate = onLate;
  }

  /** @param path Dotted path in the description, or the scope of an action. */
  add(code: string, path: string, reason: string): void {
    this.#findings.push({ code, path, reason });
  }

  /** Adds a finding that only responses of the API reveal. */
  addLate(code: string, path: string, reason: string): void {
    this.add(code, path, reason);
    this.#onLate({ code, path, reason });
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }
}
