// Writes large values of results as JSON, in pieces between which others have their turn.
import { randomUUID } from 'node:crypto';
import { isObject } from '../../upstream/json.ts';
import type { Pause } from '../../upstream/pause.ts';
import type { ResultWriter } from '../incremental/incremental-result.ts';
import { exceedsSize, PIECE, StandIn } from './results.ts';

/**
 * JSON as bytes, in pieces. The operating system provides memory page by page when it is used first: a buffer of 12 MB blocks the event
 * loop for tens of milliseconds.
 */
interface WrittenJson {
  readonly pieces: readonly Buffer[];
  /** Characters. */
  readonly length: number;
}

/** Writes JSON until it exceeds a limit. */
interface Writer extends WrittenJson {
  readonly pieces: Buffer[];
  /** The beginning of the next piece. */
  text: string;
  /** Characters so far. */
  length: number;
  readonly limit: number;
  readonly pause: Pause;
}

/** The JSON of large values. It is kept as long as they are. */
export class LargeJson implements ResultWriter {
  /** By the objects and lists of results. */
  readonly #written = new WeakMap<object, WrittenJson>();
  /** Stands for the JSON of a value, followed by its number, while what contains it is written. */
  readonly #mark = randomUUID();

  /** Characters of a value's JSON. Null for one that is not large, or has not been written. */
  lengthOf(value: object): number | null {
    return this.#written.get(value)?.length ?? null;
  }

  /**
   * An object that stands for a large one that is written, and takes no memory beside its JSON, which is parsed when a field is read. The
   * garbage collector does not look into bytes, but into each of a million objects.
   */
  standInFor(value: object): object {
    const written = this.#written.get(value);
    if (written === undefined) return value;
    let parsed: Record<string, unknown> | null = null;
    const read = (name: string): unknown => {
      parsed ??= JSON.parse(Buffer.concat(written.pieces).toString()) as Record<string, unknown>;
      return parsed[name];
    };
    const standIn = new StandIn();
    for (const name of Object.keys(value))
      Object.defineProperty(standIn, name, { enumerable: true, get: () => read(name) });
    this.#written.set(standIn, written);
    return standIn;
  }

  /**
   * Writes large values, unless they are written already.
   * @param limit Characters that each value may have.
   * @returns The bytes that it has written; null when one of them is beyond the limit. Rejects when a pause does.
   */
  async write(values: readonly object[], limit: number, pause: Pause): Promise<number | null> {
    let bytes = 0;
    for (const value of values) {
      const length = this.lengthOf(value);
      if (length !== null && length > limit) return null;
      if (length !== null) continue;
      const writer: Writer = { pieces: [], text: '', length: 0, limit, pause };
      await writeLarge(value, writer);
      if (writer.length > limit) return null;
      endPiece(writer);
      this.#written.set(value, { pieces: writer.pieces, length: writer.length });
      for (const piece of writer.pieces) bytes += piece.length;
    }
    return bytes;
  }

  /** Writes a result as `JSON.stringify` does, which it calls for all that is not written already. */
  readonly encode = (result: object): readonly Buffer[] => {
    const values: WrittenJson[] = [];
    const frame = JSON.stringify(result, (_name, value: unknown) => {
      const written = typeof value === 'object' && value !== null ? this.#written.get(value) : undefined;
      return written === undefined ? value : `${this.#mark}:${values.push(written) - 1}`;
    });
    const [first = '', ...parts] = frame.split(`"${this.#mark}:`);
    return [
      Buffer.from(first),
      ...parts.flatMap((part) => {
        const end = part.indexOf('"');
        const { pieces = [] } = values[Number(part.slice(0, end))] ?? {};
        return [...pieces, Buffer.from(part.slice(end + 1))];
      }),
    ];
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
    if (writer.length > writer.limit) return;
    const paused = writer.pause();
    if (paused !== undefined) await paused;
  }
  const isEmpty = separator !== ',';
  add(writer, `${isEmpty ? separator : ''}${isList ? ']' : '}'}`);
}

function add(writer: Writer, text: string): void {
  writer.length += text.length;
  writer.text += text;
  if (writer.text.length >= PIECE) endPiece(writer);
}

function endPiece(writer: Writer): void {
  writer.pieces.push(Buffer.from(writer.text));
  writer.text = '';
}

/** Whether JSON writes a value as its own fields or items, as the values of results are. */
const isPlain = (value: unknown): value is object =>
  Array.isArray(value) || (isObject(value) && value['toJSON'] === undefined);
