// Tests that the rooms import only what the table of arrows allows.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const arrows = JSON.parse(readFileSync(join(import.meta.dirname, 'arrows.json'), 'utf8')) as Record<
  string,
  readonly string[]
>;

/** Packages that a room must not import: `upstream` and the sandbox know no GraphQL, and only these rooms know yoga. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  upstream: /^(graphql|@pothos|dataloader)/,
  sharing: /^(graphql|@pothos|dataloader)/,
  loaders: /^(graphql|@pothos)/,
  schema: /^(graphql-yoga|graphql-ws|ws$|node:http$)/,
  callers: /^(graphql-yoga|graphql-ws|ws$)/,
  '@optiongraph/sandbox': /^[^.n]|^n(?!ode:)/,
};

const sources = [
  'src',
  ...['sandbox', 'explorer', 'docs-site', 'mcp', 'tools'].map((name) => join('packages', name, 'src')),
]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((file) => /\.tsx?$/.test(file));

/** Files of src that any room may import: what can be observed and logged. They import only each other. */
const COMMON = new Set(['observer.ts', 'log.ts', 'control-characters.ts']);

/** The room of a file: a folder of src, `index.ts`, the common files, or a package. */
function roomOf(file: string): string {
  const [top = '', name = ''] = file.split(sep);
  if (top === 'packages') return `@optiongraph/${name}`;
  return COMMON.has(name) ? 'common' : name;
}

/** The plugin of a file: a folder of src/plugins. */
const pluginOf = (file: string): string => file.split(sep)[2] ?? '';

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/\b(?:from|import) ?\(?'([\w@./?-]+)'/g)].map(([, name = '']) => name);
}

/** The room that an import leads to; null for a package of others, or a file of the same room. */
function targetOf(file: string, name: string): string | null {
  const room = name.startsWith('.')
    ? roomOf(normalize(join(dirname(file), name)))
    : (/^@optiongraph\/[^/]+/.exec(name)?.[0] ?? null);
  return room === roomOf(file) || room === 'common' ? null : room;
}

describe('the table of arrows', () => {
  it('has each room', () => {
    expect([...new Set(sources.map(roomOf))].sort()).toEqual(Object.keys(arrows).sort());
  });

  it('has no circle', () => {
    const open = new Map(Object.entries(arrows));
    for (let size = -1; size !== open.size; ) {
      size = open.size;
      for (const [room, targets] of open) if (!targets.some((target) => open.has(target))) open.delete(room);
    }
    expect([...open.keys()]).toEqual([]);
  });
});

describe('a room', () => {
  it.each(Object.keys(arrows))('%s imports only the rooms below it', (room) => {
    const wrong = sources
      .filter((file) => roomOf(file) === room)
      .flatMap((file) =>
        importsOf(file)
          .filter((name) => {
            const target = targetOf(file, name);
            return target !== null && arrows[room]?.includes(target) !== true;
          })
          .map((name) => `${relative('.', file)} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it('plugins has plugins that do not import each other', () => {
    const wrong = sources
      .filter((file) => roomOf(file) === 'plugins')
      .flatMap((file) =>
        importsOf(file)
          .map((name) => normalize(join(dirname(file), name)))
          .filter((name) => roomOf(name) === 'plugins' && pluginOf(name) !== pluginOf(file))
          .map((name) => `${file} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(PACKAGES))('%s does not import packages like %s', (room, forbidden) => {
    const wrong = sources
      .filter((file) => roomOf(file) === room)
      .flatMap((file) =>
        importsOf(file)
          .filter((name) => !name.startsWith('.') && forbidden.test(name))
          .map((name) => `${file} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });
});
