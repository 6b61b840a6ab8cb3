#!/usr/bin/env node
// The command-line program.
import { readFileSync } from 'node:fs';
import { explain } from './messages.ts';
import { endWithReader, print } from './process.ts';
import { runProgram } from './program.ts';
import type { SandboxConfig } from './sandbox-settings.ts';
import { serve } from './serve.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Loads the sandbox only for its own command. */
const sandbox = async (config: SandboxConfig): Promise<void> =>
  await (await import('./serve-sandbox.ts')).serveSandbox(config);

endWithReader();
runProgram(process.argv.slice(2), process.env, version, {
  serve: (config, readAgain) => serve(config, readAgain, version),
  sandbox,
  print,
}).catch((error: unknown) => {
  const { code, message } = explain(error);
  process.stderr.write(`optiongraph: ${message}\n`);
  process.exitCode = code;
});
