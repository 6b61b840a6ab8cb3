// Tests that what the documents refer to exists: links, headings, paths and scripts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'examples/README.md',
  ...readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
];

const ROOMS = new Set(readdirSync(new URL('src/', ROOT)));
const TOP_FOLDERS = new Set(['src', 'test', 'docs', 'examples', 'packages', 'deploy', 'build', ...ROOMS]);

const withoutExamples = (markdown: string): string => markdown.replace(/^( *)```[\s\S]*?^\1```/gm, '');

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutExamples(markdown).matchAll(/^#+ (.+)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let repeated = 0;
    while (anchors.has(repeated === 0 ? anchor : `${anchor}-${repeated}`)) repeated += 1;
    anchors.add(repeated === 0 ? anchor : `${anchor}-${repeated}`);
  }
  return anchors;
}

function isReachable(link: string, document: string): boolean {
  const target = new URL(link, new URL(document, ROOT));
  const anchor = decodeURIComponent(target.hash.slice(1));
  target.hash = '';
  return existsSync(target) && (anchor === '' || anchorsOf(readFileSync(target, 'utf8')).has(anchor));
}

/** Paths that `a/{b,c}` stands for. */
function expand(path: string): readonly string[] {
  const [, before = '', choices, after = ''] = /^(.*?)\{(.*?)\}(.*)$/.exec(path) ?? [];
  return choices === undefined
    ? [path]
    : choices.split(',').flatMap((choice) => expand(before + choice + after));
}

describe.each(documents)('%s', (document) => {
  const prose = withoutExamples(text(document));

  it('links to files and headings that exist', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const relative = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(relative.filter((link) => !isReachable(link, document))).toEqual([]);
  });

  it('names files and folders of the source that exist', () => {
    const spans = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, span = '']) => span.split(' '));
    const paths = spans
      .filter((span) => /^[\w-]+\/[^*]*$/.test(span) && TOP_FOLDERS.has(span.split('/', 1)[0] ?? ''))
      .flatMap(expand)
      // The document about the source leaves `src` out.
      .map((path) => (ROOMS.has(path.split('/', 1)[0] ?? '') ? `src/${path}` : path));
    expect(paths.filter((path) => !existsSync(fileURLToPath(new URL(path, ROOT))))).toEqual([]);
  });

  it('names scripts that exist', () => {
    const { scripts } = JSON.parse(text('package.json')) as { readonly scripts: object };
    const named = [...text(document).matchAll(/\bnpm run (?:--\S+ )*([\w:-]+)/g)].map(
      ([, script = '']) => script,
    );
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });
});
