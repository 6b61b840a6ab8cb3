// Tests what all commands of the program share: help, suggestions and completion.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../helpers/cli-in-process.ts';
import { makeFolder } from '../helpers/folder.ts';
import { makeProfiles } from '../helpers/profiles.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await runInProcess(['complete', '--', ...words])).stdout.trim().split('\n');

describe('the help', () => {
  test('of each command has an example', async () => {
    const commands = [
      ...['serve', 'sandbox', 'config check', 'config print', 'schema print', 'schema json', 'schema diff'],
      ...['login', 'logout', 'auth status', 'describe', 'query', 'watch', 'mcp', 'explain', 'doctor', 'docs'],
      'completion',
    ];
    const names = commands.map((command) => command.split(' ')[0]);
    expect(new Set(await complete(''))).toEqual(new Set([...names, 'help']));
    const list = await runInProcess(['--help']);
    const stdout = expect.stringMatching(/\nExamples?:\n {2}\S/);
    for (const command of commands) {
      expect(list.stdout).toContain(`\n  ${command.split(' ')[0]} `);
      const help = await runInProcess([...command.split(' '), '--help']);
      expect(help).toMatchObject({ code: 0, stderr: '', stdout });
    }
  });
});

test.each(['-h', '--help'])(
  'the help of serve fits on a screen, and leads to the file of settings: %s',
  async (flag) => {
    const { stdout } = await runInProcess(['serve', flag]);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(50);
    expect(stdout).toContain('optiongraph config print prints all settings');
    const flags = stdout.match(/^ +--[\w-]+/gm) ?? [];
    expect(flags.length).toBeLessThanOrEqual(12);
  },
);

describe('a typing error', () => {
  test('of a command or flag ends with 2 and a suggestion', async () => {
    const given = [
      [['qury', '{ id }'], 'did you mean query?'],
      [['bogus'], 'There is no command "bogus".\n'],
      [['schema', 'prnt'], 'Did you mean print?'],
      [['help', 'qury'], 'There is no command "qury"; did you mean query?'],
      [['schema', 'help', 'prnt'], 'did you mean print?'],
      [['schema'], 'Name a command: schema print or schema json or schema diff.'],
      [['schema', '--sandbox'], 'Name a command: schema print or schema json or schema diff.'],
      [['query', '--sandbx', '{ id }'], 'Did you mean --sandbox?'],
      [['query', '{ id }'], 'or try the command on made-up data with --sandbox.'],
    ] as const;
    for (const [args, message] of given) {
      const stderr = expect.stringContaining(message);
      expect(await runInProcess(args)).toMatchObject({ code: 2, stdout: '', stderr });
    }
  });

  test('leads to the help of its command', async () => {
    for (const [args, command] of [
      [['query', '--sandbx', '{ id }'], 'optiongraph query'],
      [['schema', 'diff', '--sandbx'], 'optiongraph schema diff'],
      [['--port', 'x', '--sandbox'], 'optiongraph serve'],
      [['qury'], 'optiongraph'],
    ] as const)
      expect((await runInProcess(args)).stderr).toContain(`\nSee ${command} --help.\n`);
  });
});

describe('an address as an argument', () => {
  test.each(['describe', 'query', 'watch', 'schema diff', 'serve'])(
    'of %s ends with 2, and is not repeated',
    async (command) => {
      const args = [...command.split(' '), 'http://me:s3cr3t@localhost/'];
      expect(await runInProcess(args)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^(?!.*s3cr3t)optiongraph: .+ as --upstream URL\.\nSee .+\n$/s),
      });
    },
  );
});

/** What each shell completes, on a command line that has an address. */
const SCRIPTS = [
  [
    'bash',
    [
      'source <(optiongraph completion bash)',
      'COMP_LINE="optiongraph query --upstream http://localhost --fo" COMP_POINT=50',
      'COMP_WORDS=(optiongraph query --upstream http : //localhost --fo) COMP_CWORD=6',
      '_optiongraph; declare -p COMPREPLY',
    ],
  ],
  [
    'zsh',
    [
      'compdef() { }; compadd() { print -r -- $candidates }',
      'source <(optiongraph completion zsh)',
      'words=(optiongraph query --upstream http://localhost --fo) CURRENT=5 _optiongraph',
    ],
  ],
  [
    'fish',
    [
      'optiongraph completion fish | source',
      'complete -C "optiongraph query --upstream http://localhost --fo"',
    ],
  ],
] as const;

const isInstalled = ([shell]: (typeof SCRIPTS)[number]): boolean =>
  spawnSync(shell, ['-c', 'true']).status === 0;

describe('completion', () => {
  test('knows commands, flags and their choices', async () => {
    expect(await complete('des')).toEqual(['describe']);
    expect(await complete('schema', '')).toEqual(expect.arrayContaining(['print', 'json', 'diff']));
    expect(await complete('query', '--sel')).toEqual(['--select']);
    expect(await complete('query', '--format', '')).toEqual(['json', 'ndjson', 'table', 'csv']);
    expect(await complete('query', '--as', '')).toEqual(['user', 'admin', 'anonymous']);
    expect(await complete('completion', 'f')).toEqual(['fish']);
  });

  test('knows the profiles', async () => {
    using profiles = makeProfiles();
    mkdirSync(dirname(profiles.file()), { recursive: true });
    for (const name of ['home', 'work']) profiles.write('{}', name);
    const { stdout } = await profiles.run(['complete', '--', 'query', '--profile', 'w']);
    expect(stdout).toBe('work\n');
  });

  test.each(SCRIPTS.filter(isInstalled))('works in %s', async (shell, script) => {
    using folder = makeFolder();
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'optiongraph'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder.path };
    const { stdout } = await promisify(execFile)(shell, ['-c', script.join('\n')], { env });
    expect(stdout).toMatch(/--format\b/);
    expect(stdout).not.toMatch(/--(?!format\b)\w/);
  });
});
