// Measures the JSON that clients send, before it is parsed.
import type { Limits } from '../limits.ts';
import { DocumentLimitError, MAX_LEVELS } from './document-size.ts';

/** Values that a request has beside its variables and extensions. */
const BESIDE = 100;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = { bracket: 0x5b, brace: 0x7b } as const;
const CLOSING = { bracket: 0x5d, brace: 0x7d } as const;

/**
 * Rejects a text with more values, or more levels of them, than a request can have: to parse a megabyte of brackets takes a third of a
 * second. It need not be JSON.
 * @param what For the message, such as `body`.
 * @throws DocumentLimitError
 */
export function checkJson(text: string, what: string, limits: Limits['document']): void {
  // Variables and extensions may have as many each.
  const most = 2 * limits.values + BESIDE;
  let values = 0;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSING.bracket || code === CLOSING.brace) levels -= 1;
    else if (code === COMMA) values += 1;
    else if (code === OPENING.bracket || code === OPENING.brace) {
      values += 1;
      levels += 1;
    }
    if (values > most) throw new DocumentLimitError(`The ${what} has more than ${most} values. Split it.`);
    if (levels > MAX_LEVELS + BESIDE)
      throw new DocumentLimitError(`The ${what} has more than ${MAX_LEVELS} levels.`);
  }
}

/** The place of the quotation mark that ends a string; that of the last character for a string without an end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length - 1;
}
