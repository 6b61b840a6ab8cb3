import { createContext, Script } from 'node:vm';
import { isObject } from '../reader.ts';

/** How long the tries of one match may take, in ms. A second one tells a slow match from a busy machine. */
const TRIES = [50, 250];

/** How long an expression that took too long is left to the server, in ms. */
const REST = 60_000;

/** Until when, by expression. */
const resting = new WeakMap<RegExp, number>();

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const script = new Script('expression.test(text)');
const globals: { expression: RegExp | null; text: string } = { expression: null, text: '' };

/**
 * Whether an expression matches a text; null when that takes longer than 300 ms, or the engine gives up. One that took too
 * long is not tried again for a minute. Ruby tells in
 * linear time what JavaScript may try for ages, and only a script in a context of its own can be stopped amid a match.
 */
export function matchWithin(expression: RegExp, text: string): boolean | null {
  if ((resting.get(expression) ?? 0) > Date.now()) return null;
  const context = createContext(globals);
  globals.expression = expression;
  globals.text = text;
  try {
    for (const timeout of TRIES) {
      try {
        return script.runInContext(context, { timeout }) === true;
      } catch (error) {
        // The error may be of the other context, and then is no instance of this one's Error.
        if (!isObject(error) || error['code'] !== TIMED_OUT) return null;
      }
    }
    resting.set(expression, Date.now() + REST);
    return null;
  } finally {
    globals.expression = null;
    globals.text = '';
  }
}
