// Calls reads of the API for `doctor`, a few at once and not more than a number in all.
import pLimit from 'p-limit';
import type { ActionCall, ActionResult } from '../../../../upstream/http/action-client.ts';
import type { OpenApi } from '../../open-api.ts';

/** Calls at once. */
const MAX_CONCURRENT = 4;
/** Calls in all. A list takes about eight. */
const MAX_CALLS = 2_000;

/** The calls are used up. */
export class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';
}

/** Calls actions that change nothing. */
export class Reader {
  readonly #call: OpenApi['read'];
  readonly #limit = pLimit(MAX_CONCURRENT);
  #left: number;

  /** @param calls Calls in all. Default: 2,000. */
  constructor({ read }: Pick<OpenApi, 'read'>, calls = MAX_CALLS) {
    this.#call = read;
    this.#left = calls;
  }

  /** @throws OverBudgetError when no call is left; else as `ActionClient` does. */
  read(call: ActionCall): Promise<ActionResult> {
    return this.#limit(() => {
      if (this.#left === 0) throw new OverBudgetError();
      this.#left -= 1;
      return this.#call(call);
    });
  }
}
