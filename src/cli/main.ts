#!/usr/bin/env node
import { print } from '@optiongraph/tools/command-line/output';
// The command-line program.
import { VERSION } from '../upstream/version.ts';
import { endWithReader } from './process.ts';

endWithReader();
const [first, ...others] = process.argv.slice(2);
// Without the modules of the commands, whose loading takes most of the time.
if (first === '--version' && others.length === 0) print(VERSION);
else void import('./run.ts').then(({ run }) => run(process.argv.slice(2), process.env));
