// Tests what all commands of the program share: help, suggestions and completion.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/cli.ts';
import { makeFolder } from '../../helpers/folder.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await runCli(['complete', '--', ...words]).ended).stdout.trim().split('\n');

describe('the help', () => {
  test('of each command has an example', async () => {
    const commands = [
      ...['serve', 'sandbox', 'config check', 'config print', 'schema print', 'schema json', 'schema diff'],
      ...['login', 'logout', 'describe', 'describe diff', 'query', 'watch', 'explain', 'doctor', 'docs'],
      'completion',
    ];
    const names = commands.map((command) => command.split(' ')[0]);
    expect(new Set(await complete(''))).toEqual(new Set([...names, 'help']));
    const { stdout } = await runCli(['--help']).ended;
    for (const command of commands) {
      expect(stdout).toContain(`\n  ${command.split(' ')[0]} `);
      const help = await runCli([...command.split(' '), '--help']).ended;
      expect(help).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringMatching(/\nExamples?:\n {2}\S/),
      });
    }
  });
});

describe('a typing error', () => {
  test('of a command or flag ends with 2 and a suggestion', async () => {
    const given = [
      [['qury', '{ id }'], 'did you mean query?'],
      [['schema', 'prnt'], 'Did you mean print?'],
      [['schema'], 'Name a command: schema print or schema json or schema diff.'],
      [['query', '--sandbx', '{ id }'], 'Did you mean --sandbox?'],
      [['query', '{ id }'], 'or try the command on made-up data with --sandbox.'],
    ] as const;
    for (const [args, message] of given)
      expect(await runCli(args).ended).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
  });
});

describe('completion', () => {
  test('knows commands, flags and their choices', async () => {
    expect(await complete('des')).toEqual(['describe']);
    expect(await complete('schema', '')).toEqual(expect.arrayContaining(['print', 'json', 'diff']));
    expect(await complete('query', '--sel')).toEqual(['--select']);
    expect(await complete('query', '--format', '')).toEqual(['json', 'ndjson', 'table']);
    expect(await complete('completion', 'f')).toEqual(['fish']);
  });

  test('works in bash', async () => {
    using folder = makeFolder();
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'optiongraph'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
      mode: 0o755,
    });
    const script = [
      'source <(optiongraph completion bash)',
      'COMP_WORDS=(optiongraph query --fo) COMP_CWORD=2',
      '_optiongraph',
      'echo "$' + '{COMPREPLY[@]}"',
    ].join('\n');
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    expect(stdout).toBe('--format\n');
  });
});
