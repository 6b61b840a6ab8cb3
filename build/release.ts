/**
 * Prepares a release. `npm version VERSION` calls `prepare`; the workflow of releases calls the others.
 * - `prepare` gives the changes that are not released a heading with the new version, and documents the name of the new packed file.
 * - `notes TAG` prints the changes of the tag's version.
 * - `place URL` replaces the placeholder of the repository's address.
 * - `channel` prints npm's tag for the version: `next` for a candidate, else `latest`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Stands for the address of the repository until a release fills it in. */
const PLACEHOLDER = /https:\/\/github\.com\/OWNER\/optiongraph/g;
/** Files that name the packed file or the image of this version. */
const WITH_VERSION = [
  'README.md',
  'docs/embedding.md',
  'docs/operating.md',
  'deploy/kubernetes/deployment.yaml',
];
const UNRELEASED = '## [Unreleased]\n';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
function edit(file: string, change: (text: string) => string): void {
  const before = read(file);
  const after = change(before);
  if (after !== before) writeFileSync(join(ROOT, file), after);
}

const version = (): string => JSON.parse(read('package.json')).version;

/** What the changelog says of a version. @throws Error if it says nothing. */
function notesOf(name: string): string {
  const section = read('CHANGELOG.md')
    .split(/^(?=## \[)/m)
    .find((part) => part.startsWith(`## [${name}]`));
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md says nothing about ${name}.`);
  return notes;
}

const commands: Readonly<Record<string, (argument: string) => void>> = {
  prepare(): void {
    const { npm_old_version: old = '', npm_new_version: next = version() } = process.env;
    notesOf('Unreleased');
    const today = new Date().toISOString().slice(0, 10);
    edit('CHANGELOG.md', (text) => text.replace(UNRELEASED, `${UNRELEASED}\n## [${next}] - ${today}\n`));
    const named = new RegExp(`(optiongraph[-:])${old.replaceAll('.', '\\.')}(?![\\d-]|\\.\\d)`, 'g');
    for (const file of WITH_VERSION) edit(file, (text) => text.replace(named, `$1${next}`));
  },
  notes(tag): void {
    if (tag !== `v${version()}`) throw new Error(`The tag ${tag} is not that of version ${version()}.`);
    process.stdout.write(`${notesOf(version())}\n`);
  },
  place(url): void {
    if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(url))
      throw new Error(`${url} is no address of a repository.`);
    const files = execFileSync('git', ['grep', '-lE', PLACEHOLDER.source.replaceAll('\\/', '/')], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of files.trim().split('\n')) edit(file, (text) => text.replace(PLACEHOLDER, url));
  },
  channel(): void {
    process.stdout.write(version().includes('-') ? 'next\n' : 'latest\n');
  },
};

const [name = '', argument = ''] = process.argv.slice(2);
const command = commands[name];
if (command === undefined)
  throw new Error(`There are ${Object.keys(commands).join(', ')}, and no "${name}".`);
command(argument);
