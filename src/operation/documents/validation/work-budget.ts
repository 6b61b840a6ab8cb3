// Ends a validation whose work grows much faster than the document.
import type { WorkCounter } from '../../../upstream/steps.ts';
import { DocumentLimitError } from '../document-size.ts';

/** Bounds work, and counts it. */
export class WorkBudget {
  #left: number;
  readonly #counter: WorkCounter;

  constructor(units: number, counter: WorkCounter) {
    this.#left = units;
    this.#counter = counter;
  }

  /** @throws DocumentLimitError when nothing is left. */
  spend(units: number): void {
    this.#counter.add(units);
    this.#left -= units;
    if (this.#left < 0)
      throw new DocumentLimitError(
        'Too many fields and fragments of the document overlap to validate it. Split it.',
      );
  }
}
