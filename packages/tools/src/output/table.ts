// Lays out rows in columns, without lines between them, so that other programs can read them too.
import stringWidth from 'string-width';

/** A table whose rows arrive one after another. Its columns keep their width, or become wider for longer texts. */
export class Table {
  readonly #widths = new Map<string, number>();
  #columns: readonly string[] = [];

  /** Adds rows. @returns Their lines, and before them the names of the columns unless the rows before had the same. */
  add(rows: readonly ReadonlyMap<string, string>[]): { head: string | null; lines: readonly string[] } {
    const columns = [...new Set(rows.flatMap((cells) => [...cells.keys()]))];
    const isSame = columns.join('\n') === this.#columns.join('\n');
    this.#columns = columns;
    for (const name of columns) {
      const texts = [name, ...rows.map((cells) => cells.get(name) ?? '')];
      const widths = texts.map((text) => stringWidth(text));
      this.#widths.set(name, Math.max(this.#widths.get(name) ?? 0, ...widths));
    }
    const lines = rows.map((cells) => this.#layOut(columns.map((name) => cells.get(name) ?? '')));
    return { head: isSame ? null : this.#layOut(columns), lines };
  }

  #layOut(texts: readonly string[]): string {
    const cells = texts.map((text, index) => {
      const width = this.#widths.get(this.#columns[index] ?? '') ?? 0;
      return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
    });
    return cells.join('  ').trimEnd();
  }
}
