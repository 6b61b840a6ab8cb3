// Runs the command-line program in a process of its own.
import { type RunningProcess, runNode } from './running-process.ts';
import { recordOutput } from './secrecy.ts';

/** Environment in which the process takes its standard output for a terminal, and prints the sandbox's credentials there. */
export const ON_TERMINAL = {
  NODE_OPTIONS:
    '--import=data:text/javascript,Object.assign(process.stdout,{isTTY:true,hasColors:()=>false})',
};

/** Node writes the address of each module that it loads to the standard error. */
const REPORT_LOADS = [
  'export async function load(url, context, next) {',
  '  if (!url.startsWith("node:")) process._rawDebug("loads " + url);',
  '  return next(url, context);',
  '}',
].join('');
const REGISTER = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(REPORT_LOADS)}`)});`;

/** Environment in which the process reports the modules that it loads, for `loadedFiles`. */
export const REPORTS_LOADS = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REGISTER)}`,
};

/** Matches the line with the address of GraphQL, and captures the address. */
export const ADDRESS = /GraphQL, and GraphiQL in a browser: ([^\s"]+)/;

/** The modules that a process with `REPORTS_LOADS` has loaded: names of files from `dist` or `node_modules` on, and other addresses. */
export function loadedFiles(stderr: string): readonly string[] {
  const loaded = stderr.match(/(?<=^loads ).*/gm) ?? [];
  return loaded.map((url) => url.replace(/.*\/(?=dist\/|node_modules\/)/, ''));
}

/**
 * Runs `optiongraph …` from the build that `test/setup/global.ts` makes. Of the environment it gets only the PATH and what is given.
 * @param input Standard input; by default, there is none.
 */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | null = null,
): RunningProcess {
  return runNode(['dist/cli/main.js', ...args], {
    // Without them, the profiles and descriptions of whoever runs the tests would be used.
    env: { XDG_CONFIG_HOME: '/nowhere', XDG_CACHE_HOME: '/dev/null', ...env },
    input,
    onOutput: (stream, chunk) => {
      // A terminal shows the credentials of the sandbox, which are meant for people.
      if (stream === 'stderr' || env !== ON_TERMINAL) recordOutput('the log of the process', chunk);
    },
  });
}
