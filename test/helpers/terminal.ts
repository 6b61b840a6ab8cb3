// Runs the command-line program on a terminal, by the program `script` of util-linux.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A terminal on which the program runs. */
export interface Terminal extends AsyncDisposable {
  /** Waits until the terminal shows a text. Rejects when the program ends without it. */
  shows(pattern: RegExp): Promise<void>;
  type(keys: string): void;
  /** Everything that the terminal has received, when the program has ended. Its exit code follows in brackets. */
  readonly ended: Promise<string>;
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Runs `optiongraph …` on a terminal.
 * @param after A command that the terminal executes afterwards.
 */
export function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { columns = 80, after = 'true' }: { columns?: number; after?: string } = {},
): Terminal {
  const program = [process.execPath, 'dist/cli/main.js', ...args].map(quote).join(' ');
  const command = `stty cols ${columns}; ${program}; echo "[$?]"; ${after}`;
  const child: ChildProcess = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: '/nowhere', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const ended = once(child, 'close').then(() => shown);
  return {
    async shows(pattern) {
      while (!pattern.test(shown)) {
        const end = await Promise.race([child.stdout && once(child.stdout, 'data').then(() => null), ended]);
        if (end !== null && !pattern.test(shown)) throw new Error(`ended without ${pattern}: ${end}`);
      }
    },
    type: (keys) => void child.stdin?.write(keys),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
