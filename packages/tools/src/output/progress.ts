// Shows progress on standard error.
import { clean, note, redraw } from '../command-line/output.ts';

/** Whether a line can be written again. A dumb terminal shows the codes for that. */
const canRedraw = (): boolean => process.stderr.isTTY && process.env['TERM'] !== 'dumb';

/** The progress of one action: a line that is written again on a terminal, else a line for each change. */
export class ActionProgress {
  #shown = '';

  show(state: Readonly<Record<string, unknown>>): void {
    const text = describe(state);
    if (text === this.#shown) return;
    this.#shown = text;
    if (!canRedraw()) {
      note(text);
      return;
    }
    redraw(clean(text).slice(0, (process.stderr.columns || 80) - 1));
  }

  /** Makes room for a line of the output, which may be on the same terminal. */
  clear(): void {
    if (!canRedraw() || this.#shown === '') return;
    redraw('');
    this.#shown = '';
  }

  end(): void {
    if (canRedraw() && this.#shown !== '') note('');
    this.#shown = '';
  }
}

/** How much of a long command is done. Elsewhere than on a terminal, nothing is shown. */
export class ProgressLine {
  readonly #what: string;

  /** @param what What is counted, in the plural. */
  constructor(what: string) {
    this.#what = what;
  }

  readonly show = (done: number, all: number): void => {
    if (canRedraw()) redraw(`${done} of ${all} ${this.#what}`);
  };

  /** Clears the line at the end of a task. */
  async during<T>(task: Promise<T>): Promise<T> {
    try {
      return await task;
    } finally {
      if (canRedraw()) redraw('');
    }
  }
}

function describe({ label, progress, current, total, unit, outcome }: Readonly<Record<string, unknown>>) {
  const steps =
    typeof current === 'number' && typeof total === 'number' && total > 0
      ? `(${current} of ${total}${typeof unit === 'string' ? ` ${unit}` : ''})`
      : '';
  const parts = [
    typeof label === 'string' ? `${label}:` : '',
    typeof progress === 'number' ? `${Math.round(progress * 100)} %` : '',
    steps,
    typeof outcome === 'string' ? outcome.toLowerCase() : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
