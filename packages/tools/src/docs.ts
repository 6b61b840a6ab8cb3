// The command `docs`: writes a static site about a caller's schema.
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createSite } from '@optiongraph/docs-site';
import { openApi } from './client/open-api.ts';
import { CommandError, EXIT_CODES, usageError } from './command-line/exit-codes.ts';
import { note } from './command-line/output.ts';
import type { CallerConfig } from './login/use-profile.ts';
import { makeFolders } from './private-file.ts';

/** Lists the files that the program has written, so that it replaces its own files only. */
const LIST = 'optiongraph-docs.json';

/** What the site is about. */
export interface DocsOptions {
  readonly out: string;
  readonly title?: string;
  readonly server?: URL;
}

/**
 * Makes the whole site before anything is written.
 * @param shared The folder of what all sites share.
 */
export async function writeDocs(
  config: CallerConfig,
  { out, title, server }: DocsOptions,
  shared: URL,
): Promise<number> {
  const target = checkTarget(out);
  await using api = await openApi(config);
  const { data } = await api.client.ask({ query: '{ session { authenticated } }' });
  const isSignedIn = Object(data?.['session']).authenticated === true;
  const facts = {
    title: title ?? config.url?.host ?? 'Sandbox',
    caller: isSignedIn ? 'a signed-in caller' : 'an anonymous caller',
    server: server ?? null,
  };
  const files = createSite(api.served, facts, shared);
  writeFolder(target, files);
  note(`${files.size} files are in ${out}. Open index.html there.`);
  return EXIT_CODES.ok;
}

/** Returns the absolute path of a folder that may be replaced. @throws CommandError when it may not. */
function checkTarget(given: string): string {
  const target = existsSync(given) ? realpathSync(given) : resolve(given);
  if (!relative(target, process.cwd()).startsWith('..'))
    throw usageError(
      '--out must be a folder of its own, because an earlier site there is replaced as a whole.',
    );
  if (!existsSync(target)) return target;
  if (!statSync(target).isDirectory())
    throw usageError(`--out must be a folder; ${JSON.stringify(given)} is a file.`);
  const known = readList(target);
  const foreign = readdirSync(target).filter((name) => !known.has(name));
  if (foreign.length === 0) return target;
  const some = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ' and others' : '');
  throw usageError(
    `The folder ${JSON.stringify(given)} contains ${some}, which this command has not written. Choose another folder, or remove them.`,
  );
}

/** The files that the program has written to a folder. */
function readList(folder: string): ReadonlySet<unknown> {
  try {
    const names: unknown = JSON.parse(readFileSync(join(folder, LIST), 'utf8'));
    return new Set(Array.isArray(names) ? names : []);
  } catch {
    return new Set();
  }
}

/** Writes a folder in place of the earlier one. @throws CommandError */
function writeFolder(target: string, files: ReadonlyMap<string, string | Buffer>): void {
  try {
    rmSync(target, { recursive: true, force: true });
    makeFolders(target);
    // First, so that what is written in part can be replaced too.
    writeFileSync(join(target, LIST), JSON.stringify([...files.keys(), LIST]));
    for (const [name, content] of files) writeFileSync(join(target, name), content);
  } catch (error) {
    throw new CommandError(
      EXIT_CODES.failed,
      `The site cannot be written to ${target}: ${error instanceof Error ? error.message : error}`,
      error,
    );
  }
}
