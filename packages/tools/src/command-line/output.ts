// The only file that writes to standard output and standard error, so that no text of an API controls the terminal.
import { stripVTControlCharacters, styleText } from 'node:util';

/** Moves to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[K';
/** Moves to the top of the screen and clears it. */
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/** Control characters but line breaks and tabs, and what changes the direction of a text or separates lines. */
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_C}\u2028\u2029]/gu;

const maskControls = (text: string): string => text.replaceAll(CONTROLS, '\ufffd');

/** Writes control characters as JSON does within quoted strings, where all of them must be. The values stay the same. */
export const escapeControls = (text: string): string =>
  text.replaceAll(CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text as one line for people. */
export const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/\p{Bidi_C}+/gu, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** Writes lines to standard output. Resolves when the reader can take more. */
export async function write(lines: string): Promise<void> {
  await send(maskControls(lines));
}

/** Writes JSON to standard output, in colors on a terminal that has them. Resolves as `write` does. */
export async function writeJson(json: string): Promise<void> {
  const text = maskControls(json);
  await send(hasColors() ? text.replaceAll(JSON_TOKEN, colorToken) : text);
}

/** Writes lines of a table to standard output. Its head is bold on a terminal with colors. Resolves as `write` does. */
export async function writeTable(head: string | null, lines: readonly string[]): Promise<void> {
  const shown = head !== null && hasColors() ? styleText('bold', maskControls(head)) : head;
  await send([...(shown === null ? [] : [shown]), ...lines.map(maskControls)].join('\n'));
}

/** Prints lines to standard output. */
export const print = (lines: string): void => void write(lines);

/** Writes a line for people to standard error. */
export const note = (text: string): void => void process.stderr.write(`${clean(text)}\n`);

/** Writes to standard error why the program ends. The reason may have several lines. */
export function complain(reason: string): void {
  process.stderr.write(`optiongraph: ${reason.split('\n').map(clean).join('\n')}\n`);
}

/** Shows a question on standard error, whose answer follows on the same line. */
export const showQuestion = (question: string): void => void process.stderr.write(clean(question));

/** Replaces the last line of standard error, a terminal, by another without a line break. */
export const redraw = (line: string): void => void process.stderr.write(CLEAR_LINE + clean(line));

/** Makes room on standard output, a terminal, for another text in place of what it shows. */
export const clearScreen = (): void => void process.stdout.write(CLEAR_SCREEN);

/** Shows on standard error what readline writes: the keys that are typed, and the movements of the cursor. */
export const echo = (keys: Uint8Array): void => void process.stderr.write(keys);

const hasColors = (): boolean => process.stdout.isTTY && process.stdout.hasColors();

/** A text, which a colon follows if it is a key, or another value. */
const JSON_TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

function colorToken(token: string, text?: string, colon?: string): string {
  if (text === undefined) return styleText('cyan', token);
  return colon === undefined ? styleText('green', text) : styleText('blue', text) + colon;
}

async function send(text: string): Promise<void> {
  if (process.stdout.write(`${text}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}
