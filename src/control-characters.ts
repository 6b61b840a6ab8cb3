// Writes texts without the characters that control a terminal or change the direction of a line.

/** Control characters but line breaks and tabs, and what Unicode lists as controls of direction and as separators of lines. */
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_C}\u2028\u2029]/gu;

/** Printable characters of ASCII, line breaks and tabs. Nearly all texts have no others, and are found by this in a tenth of the time. */
const PLAIN = /^[\n\t -~]*$/;

/** Whether a text contains one of them. */
export const hasControls = (text: string): boolean => text.search(CONTROLS) !== -1;

/** Replaces each of them by U+FFFD. */
export const maskControls = (text: string): string =>
  PLAIN.test(text) ? text : text.replaceAll(CONTROLS, '\ufffd');

/** Writes each of them as JSON and GraphQL do within quoted strings, where all of them must be. The values stay the same. */
export const escapeControls = (text: string): string =>
  text.replaceAll(CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
