import type { Finding } from '../upstream/reader.ts';

/** Collects what could not be mapped to GraphQL, or not under its plain name. */
export class Report {
  readonly #findings: Finding[];

  /** @param findings What was already left out while reading the description. */
  constructor(findings: readonly Finding[] = []) {
    this.#findings = [...findings];
  }

  /** @param path Dotted place in the description, or the scope of an action. */
  add(code: string, path: string, reason: string): void {
    this.#findings.push({ code, path, reason });
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }
}
