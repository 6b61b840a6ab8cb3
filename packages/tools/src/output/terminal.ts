// Asks people on the terminal.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageError } from '../command-line/exit-codes.ts';
import { clean, echo, note, showQuestion } from '../command-line/output.ts';

/**
 * The answers to the questions of one command, secrets without echo. Without a terminal, they are the lines of standard input. Nothing
 * else reads it meanwhile.
 */
export class Answers implements Disposable {
  /** Whether what is typed stays invisible, as it does between questions. */
  #isMuted = true;
  readonly #reader = createInterface({
    input: process.stdin,
    // Readline itself shows what is typed on a terminal, and nothing elsewhere.
    output: new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isMuted) echo(chunk);
        done();
      },
    }),
    terminal: process.stdin.isTTY,
  });
  /** Keeps lines that are typed or sent ahead. */
  readonly #lines = this.#reader[Symbol.asyncIterator]();

  constructor() {
    // Readline takes Ctrl-C from the terminal. The terminal is restored before the process ends as by any other Ctrl-C.
    this.#reader.on('SIGINT', () => {
      this.#reader.close();
      process.kill(process.pid, 'SIGINT');
    });
  }

  /**
   * Asks a question.
   * @param isSecret Whether the terminal does not show the answer.
   * @throws CommandError when there is no answer.
   */
  async ask(label: string, isSecret: boolean): Promise<string> {
    const question = clean(label);
    if (process.stdin.isTTY) this.#show(`${question}: `, isSecret);
    const { value, done } = await this.#lines.next();
    this.#isMuted = true;
    if (isSecret && process.stdin.isTTY) note('');
    if (done !== true) return value;
    throw usageError(
      `There is no answer to ${JSON.stringify(question)}. Without a terminal, give one line for each question.`,
    );
  }

  #show(question: string, isSecret: boolean): void {
    this.#isMuted = isSecret;
    if (isSecret) showQuestion(question);
    this.#reader.setPrompt(isSecret ? '' : question);
    this.#reader.prompt();
  }

  [Symbol.dispose](): void {
    this.#reader.close();
  }
}

/** Asks a question with yes or no. The answer is no when nobody can be asked, and when Ctrl-C or the end of the input answers. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      asked.once('SIGINT', () => resolve('no'));
      asked.once('close', () => resolve('no'));
      asked.question(`${clean(question)} [y/N] `, resolve);
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    asked.close();
  }
}
