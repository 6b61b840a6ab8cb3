// Matches a regular expression within a time limit.
import { createContext, Script } from 'node:vm';
import { isObject } from '../reader.ts';

/** Timeouts of the two attempts of one match, in milliseconds. The second attempt rules out that the machine was only busy. */
const ATTEMPT_TIMEOUTS = [50, 250];

/** Time during which an expression is not matched after a timeout, in milliseconds. */
const SUSPENSION = 60_000;

/** When the suspension of each expression ends. */
const suspendedUntil = new WeakMap<RegExp, number>();

const TIMEOUT_CODE = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const script = new Script('expression.test(text)');
const globals: { expression: RegExp | null; text: string } = { expression: null, text: '' };

/**
 * Whether an expression matches a text; null when the match takes longer than 300 ms or fails. After a timeout the expression
 * is not matched for a minute. JavaScript may need exponential time where Ruby needs linear time, and a running match can
 * be stopped only in a separate context.
 */
export function matchWithin(expression: RegExp, text: string): boolean | null {
  if ((suspendedUntil.get(expression) ?? 0) > Date.now()) return null;
  const context = createContext(globals);
  globals.expression = expression;
  globals.text = text;
  try {
    for (const timeout of ATTEMPT_TIMEOUTS) {
      try {
        return script.runInContext(context, { timeout }) === true;
      } catch (error) {
        // An error from the other context is not an instance of this context's Error.
        if (!isObject(error) || error['code'] !== TIMEOUT_CODE) return null;
      }
    }
    suspendedUntil.set(expression, Date.now() + SUSPENSION);
    return null;
  } finally {
    globals.expression = null;
    globals.text = '';
  }
}
