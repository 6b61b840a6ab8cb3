// Runs a command, and says why it has failed.

import { complain, print } from '@optiongraph/tools/command-line/output';
import type { Environment } from '../config/variables.ts';
import { VERSION } from '../upstream/version.ts';
import { explain } from './explain.ts';
import { runProgram } from './program.ts';
import type { SandboxConfig } from './sandbox/sandbox-settings.ts';

// Each command is loaded only when it runs.
const sandbox = async (config: SandboxConfig): Promise<void> =>
  await (await import('./sandbox/serve-sandbox.ts')).serveSandbox(config);

/** Runs the command that the arguments name, and sets the exit code of the process. */
export async function run(argv: readonly string[], env: Environment): Promise<void> {
  try {
    await runProgram(argv, env, VERSION, {
      serve: async (config, readAgain) =>
        await (await import('./serve/serve.ts')).serve(config, readAgain, VERSION),
      sandbox,
      print,
    });
  } catch (error) {
    const { code, message } = explain(error);
    complain(message);
    process.exitCode = code;
  }
}
