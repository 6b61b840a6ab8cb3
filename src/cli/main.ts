#!/usr/bin/env node
// The command-line program.
import { endWithReader } from './process.ts';
import { run } from './run.ts';

endWithReader();
void run(process.argv.slice(2), process.env);
