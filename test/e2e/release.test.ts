// Carries out a release in a copy of the repository, but for its build and for publishing.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
/** On the same disk, so that the copies of packages take no space. */
const COPY = join(ROOT, '.cache/release');
const REPOSITORY = 'https://forge.test/owner/repository';
const VARIABLES = {
  GITHUB_REF_NAME: 'v1.0.0-rc.0',
  GITHUB_SERVER_URL: 'https://forge.test',
  GITHUB_REPOSITORY: 'owner/repository',
};

/** Steps of the workflow that are not carried out, because the copy has its packages, this is the check, or they publish. */
const NOT_HERE = /^npm ci$|^npm run check$|^npm publish |^gh release /;

const commands: readonly string[] = parse(
  readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'),
).jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? []);

const runIn = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, {
    cwd: COPY,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...VARIABLES },
  });
const git = (...args: readonly string[]): string => runIn('git', ...args);
const copied = (file: string): string => readFileSync(join(COPY, file), 'utf8');

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '')) {
    mkdirSync(dirname(join(COPY, file)), { recursive: true });
    cpSync(join(ROOT, file), join(COPY, file), { force: true });
  }
  execFileSync('cp', ['--archive', '--link', join(ROOT, 'node_modules'), COPY]);
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.org');
  git('add', '--all');
  git('commit', '--quiet', '--message=Begin');
});
afterAll(() => rmSync(COPY, { recursive: true, force: true }));

it('writes the version where it stands, and makes the commit and the tag', () => {
  runIn('npm', 'version', '1.0.0-rc.0');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag', '--list').trim()).toBe('v1.0.0-rc.0');
  expect(copied('CHANGELOG.md')).toMatch(
    /^## \[Unreleased\]\n\n## \[1\.0\.0-rc\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n/m,
  );
  expect(copied('src/upstream/version.ts')).toContain("'1.0.0-rc.0'");
  expect(copied('README.md')).toContain('./optiongraph-1.0.0-rc.0.tgz');
  const others =
    "git grep -lE 'optiongraph[-:]0\\.1\\.0' -- ':!CHANGELOG.md' ':!package-lock.json' ':!test' || true";
  expect(runIn('bash', '-c', others)).toBe('');
}, 120_000);

it('makes what the workflow of releases publishes', () => {
  const here = commands.filter((command) => !NOT_HERE.test(command));
  expect(commands.length - here.length).toBe(4);
  // What the build makes is what test/e2e/package.test.ts looks at.
  for (const command of here)
    runIn('bash', '-euo', 'pipefail', '-c', command.replace(/^npm pack$/, '$& --ignore-scripts'));

  expect(copied('notes.md')).toContain('### Added');
  const { repository, bugs, homepage } = JSON.parse(copied('package.json'));
  expect([repository.url, bugs, homepage]).toEqual([
    `git+${REPOSITORY}.git`,
    `${REPOSITORY}/issues`,
    `${REPOSITORY}#readme`,
  ]);
  expect(copied('SECURITY.md')).toContain(`${REPOSITORY}/security/advisories/new`);
  const { bomFormat, components } = JSON.parse(copied('sbom.json'));
  expect(bomFormat).toBe('CycloneDX');
  expect(components.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['graphql', 'graphql-yoga']),
  );

  const publish = commands.find((command) => command.startsWith('npm publish')) ?? '';
  expect(publish).toContain('--provenance');
  const dry = publish.replace('--provenance', '--dry-run');
  expect(runIn('bash', '-euo', 'pipefail', '-c', `${dry} 2>&1`)).toMatch(
    /tag next .*\(dry-run\)|\+ optiongraph@1\.0\.0-rc\.0/s,
  );
}, 120_000);

it('refuses a tag of another version', () => {
  expect(() => runIn('npm', 'run', '--silent', 'release', '--', 'notes', 'v2.0.0')).toThrow(
    'not that of version',
  );
});
