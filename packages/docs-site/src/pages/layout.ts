// Renders the frame of each page: its head, the search, the contents of the site.
import type { CatalogResource } from '../catalog/catalog.ts';
import { type Content, type Html, html, joinWith } from '../html/html.ts';

/** What all pages of a site have in common. */
export interface SiteFrame {
  /** Name of the API. */
  readonly title: string;
  /** Who sees the API like this, in words. */
  readonly caller: string;
  /** Address of the GraphQL server, for links from examples; null for none. */
  readonly server: URL | null;
  readonly guide: readonly { readonly file: string; readonly title: string }[];
  readonly resources: readonly CatalogResource[];
}

/** One page. */
export interface Page {
  readonly file: string;
  readonly title: string;
  readonly content: Content;
}

/** Nothing but the site's own files is loaded, so that a text of the API cannot bring anything along. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** Renders a page. */
export function renderPage(frame: SiteFrame, page: Page): string {
  const title = page.file === 'index.html' ? page.title : `${page.title} · ${frame.title}`;
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="site.css">
<script src="site.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="title" href="index.html">${frame.title}</a>
<a class="to-contents" href="#contents">Contents</a>
<button type="button" id="open-search" hidden>Search <kbd>/</kbd></button>
</header>
<main id="main">
${page.content}
<footer><p>Made by Optiongraph from what the API describes to ${frame.caller}.</p></footer>
</main>
${contents(frame, page.file)}
${SEARCH}
</body>
</html>
`.text
  }`;
}

function contents({ guide, resources }: SiteFrame, current: string): Html {
  const entry = (file: string, title: Content, depth = 1): Html =>
    html`<li class="depth-${Math.min(depth, 4)}"><a href="${file}"${file === current ? html` aria-current="page"` : ''}>${title}</a></li>`;
  return html`<nav id="contents" aria-label="Contents">
<h2>Guide</h2>
<ul>${entry('index.html', 'Overview')}${guide.map(({ file, title }) => entry(file, title))}</ul>
<h2>Resources</h2>
<ul>${resources.map(({ file, path }) => entry(file, breakable(path.at(-1) ?? ''), path.length))}${entry('common.html', 'Common types')}</ul>
</nav>`;
}

/** Lets long names break after their words. */
const breakable = (name: string): Content => joinWith(html`<wbr>`, name.split(/(?<=_)/));

/** The search, which the script of the site opens. */
const SEARCH = html`<dialog id="search" aria-label="Search">
<div class="search-line"><input type="search" id="search-text" aria-label="Search for" placeholder="Type, field, action or topic" autocomplete="off" spellcheck="false"><button type="button" id="close-search">Close</button></div>
<p role="status" id="search-status"></p>
<ul id="search-results"></ul>
</dialog>`;
