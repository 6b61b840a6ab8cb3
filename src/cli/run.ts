// Runs a command, and says why it has failed.

import { complain, print } from '@optiongraph/tools/command-line/output';
import type { Environment } from '../config/read-settings.ts';
import { VERSION } from '../upstream/version.ts';
import { explain } from './explain.ts';
import { runProgram } from './program.ts';

/** Runs the command that the arguments name, and sets the exit code of the process. */
export async function run(argv: readonly string[], env: Environment): Promise<void> {
  try {
    // Each command is loaded only when it runs.
    await runProgram(argv, env, VERSION, {
      serve: async (config) => await (await import('./serve/serve.ts')).serve(config),
      sandbox: async (config) => await (await import('./sandbox/serve-sandbox.ts')).serveSandbox(config),
      print,
    });
  } catch (error) {
    const { code, message } = explain(error);
    complain(message);
    process.exitCode = code;
  }
}
