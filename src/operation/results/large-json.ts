// Writes large values of results as JSON, in pieces between which others have their turn.
import { randomUUID } from 'node:crypto';
import { isObject } from '../../upstream/json.ts';
import type { Pause } from '../../upstream/pause.ts';
import { exceedsSize, PIECE } from './results.ts';

/** Writes JSON until it exceeds a limit. */
interface Writer {
  readonly pieces: string[];
  /** Characters that may still be written. Negative: the limit is exceeded. */
  left: number;
  readonly pause: Pause;
}

/** The JSON of large values. It is kept as long as they are. */
export class LargeJson {
  /** By the objects and lists of results. */
  readonly #texts = new WeakMap<object, string>();
  /** Stands for the text of a value, followed by its number, while what contains it is written. */
  readonly #mark = randomUUID();

  /** Characters of a value's text. Null for one that is not large, or has not been written. */
  lengthOf(value: object): number | null {
    return this.#texts.get(value)?.length ?? null;
  }

  /**
   * Writes large values, unless they are written already.
   * @param limit Characters that each value may have.
   * @returns Whether all of them are within the limit. Rejects when a pause does.
   */
  async write(values: readonly object[], limit: number, pause: Pause): Promise<boolean> {
    for (const value of values) {
      const length = this.lengthOf(value);
      if (length !== null && length <= limit) continue;
      const writer: Writer = { pieces: [], left: limit, pause };
      await writeLarge(value, writer);
      if (writer.left < 0) return false;
      this.#texts.set(value, writer.pieces.join(''));
      // What has taken milliseconds, and what follows will.
      const paused = pause();
      if (paused !== undefined) await paused;
    }
    return true;
  }

  /** Writes a result as `JSON.stringify` does, which it calls for all that is not written already. */
  readonly stringify = (result: object): string => {
    const texts: string[] = [];
    const frame = JSON.stringify(result, (_name, value: unknown) => {
      const text = typeof value === 'object' && value !== null ? this.#texts.get(value) : undefined;
      return text === undefined ? value : `${this.#mark}:${texts.push(text) - 1}`;
    });
    const [first = '', ...parts] = frame.split(`"${this.#mark}:`);
    // V8 copies texts that are joined, and refers to those that are added.
    return parts.reduce((text, part) => {
      const end = part.indexOf('"');
      return `${text}${texts[Number(part.slice(0, end))]}${part.slice(end + 1)}`;
    }, first);
  };
}

/** Writes an object or a list piece by piece. */
async function writeLarge(value: object, writer: Writer): Promise<void> {
  const isList = Array.isArray(value);
  let separator = isList ? '[' : '{';
  for (const name in value) {
    const item: unknown = (value as Record<string, unknown>)[name];
    const isLarge = isPlain(item) && exceedsSize(item, PIECE);
    const text = isLarge ? '' : (JSON.stringify(item) ?? (isList ? 'null' : undefined));
    if (text === undefined) continue;
    add(writer, isList ? separator : `${separator}${JSON.stringify(name)}:`);
    add(writer, text);
    separator = ',';
    if (isLarge) await writeLarge(item, writer);
    if (writer.left < 0) return;
    const paused = writer.pause();
    if (paused !== undefined) await paused;
  }
  const isEmpty = separator !== ',';
  add(writer, `${isEmpty ? separator : ''}${isList ? ']' : '}'}`);
}

function add(writer: Writer, text: string): void {
  writer.left -= text.length;
  writer.pieces.push(text);
}

/** Whether JSON writes a value as its own fields or items, as the values of results are. */
const isPlain = (value: unknown): value is object =>
  Array.isArray(value) || (isObject(value) && value['toJSON'] === undefined);
