// Lays out rows in columns, without lines between them, so that other programs can read them too.
import stringWidth from 'string-width';

const GAP = '  ';
/** A column is not made narrower to fit a terminal. */
const NARROWEST = 12;

/** A table whose rows arrive one after another. Its columns keep their width, or become wider for longer texts. */
export class Table {
  readonly #widths = new Map<string, number>();
  #columns: readonly string[] = [];

  /**
   * Adds rows.
   * @param room Columns of a terminal, in which long texts are broken into lines; null: they are not broken.
   * @returns Their lines, and before them the names of the columns unless the rows before had the same.
   */
  add(
    rows: readonly ReadonlyMap<string, string>[],
    room: number | null,
  ): { head: string | null; lines: readonly string[] } {
    const columns = [...new Set(rows.flatMap((cells) => [...cells.keys()]))];
    const isSame = columns.join('\n') === this.#columns.join('\n');
    this.#columns = columns;
    for (const name of columns) {
      const texts = [name, ...rows.map((cells) => cells.get(name) ?? '')];
      this.#widths.set(
        name,
        Math.max(this.#widths.get(name) ?? 0, ...texts.map((text) => stringWidth(text))),
      );
    }
    const widths = narrow(
      columns.map((name) => this.#widths.get(name) ?? 0),
      room,
    );
    const lines = rows.flatMap((cells) =>
      layOut(
        columns.map((name) => cells.get(name) ?? ''),
        widths,
      ),
    );
    return { head: isSame ? null : layOut(columns, widths).join('\n'), lines };
  }
}

/** Makes the widest columns narrower until all fit. */
function narrow(widths: readonly number[], room: number | null): readonly number[] {
  const fitting = [...widths];
  let excess =
    room === null ? 0 : widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - room;
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(...fitting);
    if (widest <= NARROWEST) break;
    fitting[fitting.indexOf(widest)] = widest - 1;
  }
  return fitting;
}

/** The lines of a row. */
function layOut(texts: readonly string[], widths: readonly number[]): readonly string[] {
  const cells = texts.map((text, index) => breakText(text, widths[index] ?? 0));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_none, line) =>
    cells
      .map((lines, index) => {
        const text = lines[line] ?? '';
        return text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(text)));
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Breaks a text between words into lines of a width, and a word that is longer within. */
function breakText(text: string, width: number): readonly string[] {
  if (stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (stringWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (stringWidth(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line];
}
