// Renders the page of the explorer, and reads the files that it loads, as `packages/explorer/build.ts` has made and compressed them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { PanelConfig } from './panel-config.ts';

/** Renders the page. @param folder Address of the files, relative to the page. */
export function renderExplorer({ scripts, styles }: PageFiles, folder: string, config: PanelConfig): string {
  // No other character can end the script element.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const [entry, ...others] = scripts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Optiongraph</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="${folder}/${name}">`).join('\n')}
${others.map((name) => `<link rel="modulepreload" href="${folder}/${name}">`).join('\n')}
<script type="application/json" id="optiongraph-config">${json}</script>
<script type="module" src="${folder}/${entry}"></script>
</head>
<body>
<noscript>The explorer needs JavaScript.</noscript>
<main id="root"></main>
</body>
</html>
`;
}

/** The page of a package without the explorer's files. */
export const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Optiongraph</title>
<p>The files of the explorer are missing; GraphQL itself works. In a clone, run <code>npm run build</code>, and start the server again. In a
program of your own, leave the package <code>optiongraph</code> out of its bundle.</p>
</html>
`;

/** Allows the scripts and styles of this server, and nothing else that could run code, send data elsewhere or frame the page. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The editor makes style elements and attributes.
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self'",
  'img-src data:',
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files that the page loads, the entry first. */
interface PageFiles {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

type Encoding = 'br' | 'identity';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** From the bundle in `dist/cli`, and from this folder of `src` or `dist`. */
const FOLDERS = ['../../', '../../../'].map((root) => new URL(`${root}dist/explorer/app/`, import.meta.url));

/** The files of the explorer. Each is read once, and decompressed once for clients that do not accept brotli, as browsers do without TLS. */
export class ExplorerFiles {
  readonly #folder = FOLDERS.find((folder) => existsSync(new URL('page.json', folder)));
  readonly #names = new Set(this.#folder === undefined ? [] : readdirSync(this.#folder));
  /** By encoding and name. */
  readonly #bodies = new Map<string, Promise<Blob>>();
  /** Null when the explorer was not built. */
  readonly page: PageFiles | null =
    this.#folder === undefined ? null : JSON.parse(readFileSync(new URL('page.json', this.#folder), 'utf8'));

  /** Reads a file; null if there is none. Fonts, which are compressed already, have no other encoding. */
  async read(name: string, acceptsBrotli: boolean) {
    const isCompressed = this.#names.has(`${name}.br`);
    const contentType = TYPES[extname(name)];
    if (contentType === undefined || !(isCompressed || this.#names.has(name))) return null;
    const encoding: Encoding = isCompressed && acceptsBrotli ? 'br' : 'identity';
    const key = `${encoding} ${name}`;
    const body = this.#bodies.get(key) ?? this.#load(name, isCompressed, encoding);
    this.#bodies.set(key, body);
    body.catch(() => this.#bodies.delete(key));
    return { body: await body, encoding, contentType };
  }

  async #load(name: string, isCompressed: boolean, encoding: Encoding): Promise<Blob> {
    const stored = await readFile(new URL(isCompressed ? `${name}.br` : name, this.#folder));
    const isDone = !isCompressed || encoding === 'br';
    return new Blob([isDone ? stored : await promisify(brotliDecompress)(stored)]);
  }
}
