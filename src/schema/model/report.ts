import type { Finding } from '../../upstream/reader.ts';

/** Collects what could not be mapped to GraphQL, or not under its plain name. */
export class Report {
  readonly #findings: Finding[];
  readonly #onLate: (finding: Finding) => void;

  /**
   * @param findings What was already left out while reading the description.
   * @param onLate Called for what is found while the schema is served.
   */
  constructor(findings: readonly Finding[] = [], onLate: (finding: Finding) => void = () => undefined) {
    this.#findings = [...findings];
    this.#onLate = onLate;
  }

  /** @param path Dotted place in the description, or the scope of an action. */
  add(code: string, path: string, reason: string): void {
    this.#findings.push({ code, path, reason });
  }

  /** Adds what only the answers of the API show. */
  addLate(code: string, path: string, reason: string): void {
    this.add(code, path, reason);
    this.#onLate({ code, path, reason });
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }
}
