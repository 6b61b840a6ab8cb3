// Asks people on the terminal.
import { createInterface } from 'node:readline';

/** Asks a question with yes or no. The answer is no when nobody can be asked, and when Ctrl-C or the end of the input answers. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve) => {
      asked.once('SIGINT', () => resolve('no'));
      asked.once('close', () => resolve('no'));
      asked.question(`${question} [y/N] `, resolve);
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    asked.close();
  }
}
