// Builds what all sites of `optiongraph docs` share, in dist/site/files: their script and styles, and the guide as HTML.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import MarkdownIt, { type Token } from 'markdown-it';
import { codeBlock } from './src/html/code-block.ts';
import type { GuidePage, GuidePart } from './src/site-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDE = join(ROOT, 'docs/guide');
const OUT = join(ROOT, 'dist/site/files');
const PICTURE = 'description-to-schema.svg';

const markdown = new MarkdownIt();
markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
markdown.renderer.rules['table_close'] = () => '</table></div>\n';
const renderImage = markdown.renderer.rules['image'];
// On a narrow screen, a picture can be scrolled or opened by itself.
markdown.renderer.rules['image'] = (tokens, index, ...rest) =>
  `<a class="picture" href="${tokens[index]?.attrGet('src')}">${renderImage?.(tokens, index, ...rest)}</a>`;
markdown.renderer.rules['fence'] = (tokens, index) =>
  `${codeBlock(tokens[index]?.content ?? '', tokens[index]?.info ?? '').text}\n`;

/** The documents that docs/guide/README.md links to, in its order, with the files that they become. */
function findDocuments(): ReadonlyMap<string, string> {
  const links = readFileSync(join(GUIDE, 'README.md'), 'utf8').matchAll(/\]\(([^)#]+\.md)\)/g);
  return new Map(
    [...links].map(([, link = '']) => [join(GUIDE, link), `guide-${basename(link, '.md')}.html`]),
  );
}

/** Renders a document. */
function renderDocument(document: string, file: string, files: ReadonlyMap<string, string>): GuidePage {
  const tokens = markdown.parse(readFileSync(document, 'utf8'), {});
  const headings = nameHeadings(tokens);
  const codes = nameCodes(tokens);
  for (const { children } of tokens)
    for (const [index, token] of (children ?? []).entries())
      redirect(token, index, children ?? [], document, files);
  const parts: GuidePart[] = [];
  let start = 0;
  const renderUntil = (end: number): void => {
    parts.push({ html: markdown.renderer.render(tokens.slice(start, end), markdown.options, {}) });
    start = end + 1;
  };
  for (const [index, { type, info, content }] of tokens.entries()) {
    const [, example] = /^graphql example=(\w+)$/.exec(info) ?? [];
    if (type !== 'fence' || example === undefined) continue;
    renderUntil(index);
    parts.push({ example, code: content });
  }
  renderUntil(tokens.length);
  return { file, title: headings[0]?.title ?? file, parts, anchors: [...headings.slice(1), ...codes] };
}

/** Gives headings the ids by which forges know them, so that links work in both places. */
function nameHeadings(tokens: readonly Token[]): GuidePage['anchors'] {
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const title = tokens[index + 1]?.children?.map(({ content }) => content).join('') ?? '';
    const id = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    token.attrSet('id', id);
    return [{ id, title }];
  });
}

/** Gives rows of tables that explain a code the code as id. */
function nameCodes(tokens: readonly Token[]): GuidePage['anchors'] {
  const known = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const [code = ''] = /(?<=^`)[A-Z_]+(?=`$)/.exec(tokens[index + 2]?.content ?? '') ?? [];
    if (token.type !== 'tr_open' || code === '' || known.has(code)) continue;
    known.add(code);
    token.attrSet('id', code);
  }
  return [...known].map((code) => ({ id: code, title: code }));
}

/** Lets a link lead to the page of its document. Links to documents that the site does not have become texts. */
function redirect(
  token: Token,
  index: number,
  siblings: readonly Token[],
  document: string,
  files: ReadonlyMap<string, string>,
): void {
  if (token.type === 'image') token.attrSet('src', basename(String(token.attrGet('src'))));
  if (token.type !== 'link_open') return;
  const link = String(token.attrGet('href'));
  if (/^https?:/.test(link)) return;
  const [path = '', anchor] = link.split('#');
  const file = files.get(path === '' ? document : join(dirname(document), path));
  if (file !== undefined) {
    token.attrSet('href', `${file}${anchor === undefined ? '' : `#${anchor}`}`);
    return;
  }
  const end = siblings.slice(index).find(({ type, level }) => type === 'link_close' && level === token.level);
  for (const one of end === undefined ? [token] : [token, end]) {
    one.type = 'text';
    one.content = '';
  }
}

mkdirSync(OUT, { recursive: true });
const files = findDocuments();
const guide = [...files].map(([document, file]) => renderDocument(document, file, files));
writeFileSync(join(OUT, 'guide.json'), JSON.stringify(guide));
copyFileSync(join(GUIDE, PICTURE), join(OUT, PICTURE));
await build({
  entryPoints: ['site.ts', 'site.css'].map((name) => join(import.meta.dirname, 'src/app', name)),
  outdir: OUT,
  bundle: true,
  // Browsers load no modules from files.
  format: 'iife',
  target: 'es2022',
  minify: true,
  legalComments: 'eof',
});
