#!/usr/bin/env node
// The command-line program.
import { readFileSync } from 'node:fs';
import { explain } from './messages.ts';
import { print } from './process.ts';
import { runProgram } from './program.ts';
import { serve } from './serve.ts';
import { serveSandbox } from './serve-sandbox.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

runProgram(process.argv.slice(2), process.env, version, { serve, sandbox: serveSandbox, print }).catch(
  (error: unknown) => {
    const { code, message } = explain(error);
    process.stderr.write(`optiongraph: ${message}\n`);
    process.exitCode = code;
  },
);
