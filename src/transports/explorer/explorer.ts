// The explorer as the server sees it: a small page, and the files that it loads.
import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { AuthenticationMethods } from '../../upstream/description/description.ts';
import { type EncodedBody, ExplorerAssets } from '../explorer-assets.ts';
import type { Encoding } from '../http/response-headers.ts';
import { NOT_BUILT, POLICY, renderExplorer } from './explorer-page.ts';
import type { PanelConfig } from './panel-config.ts';

/** What the server needs to send a page or a file. */
export interface ExplorerFile extends EncodedBody {
  readonly contentType: string;
  /** Differs for each content and encoding. */
  readonly etag: string;
  /** Value of the header `Content-Security-Policy`. */
  readonly policy: string;
}

/** The parts of the configuration that stay the same. */
export type FixedConfig = Omit<PanelConfig, 'headerNames' | 'tokenHeader'>;

/** The explorer of one endpoint. */
export class Explorer {
  readonly #authentication: () => AuthenticationMethods;
  readonly #config: FixedConfig;
  readonly #folder: string;
  #assets: ExplorerAssets | null = null;
  /** The latest page in each encoding. It changes when the API describes other credential headers. */
  #made: { readonly html: string; readonly files: Map<Encoding, ExplorerFile> } | null = null;

  /**
   * @param endpoint Path of GraphQL and of the page. The files are below it, in `assets`.
   * @param authentication Returns the described authentication methods, whose headers the page offers for tokens.
   */
  constructor(endpoint: string, authentication: () => AuthenticationMethods, config: FixedConfig) {
    this.#authentication = authentication;
    this.#config = config;
    // Relative to the page, because a proxy may serve it below another path.
    this.#folder = `${endpoint.split('/').at(-1)}/assets`;
  }

  page(encoding: Encoding): ExplorerFile {
    const { pageFiles } = this.#open();
    const config = { ...this.#config, ...headerNames(this.#authentication()) };
    const html = pageFiles === null ? NOT_BUILT : renderExplorer(pageFiles, this.#folder, config);
    if (this.#made?.html !== html) this.#made = { html, files: new Map() };
    const made = this.#made.files.get(encoding) ?? encodePage(html, encoding);
    this.#made.files.set(encoding, made);
    return made;
  }

  /** A file that the page loads; null for none of that name. */
  async file(name: string, encoding: Encoding): Promise<ExplorerFile | null> {
    const assets = this.#open();
    const contentType = assets.typeOf(name);
    if (contentType === null) return null;
    const encoded = await assets.read(name, encoding);
    // The name has the hash of the content.
    return { ...encoded, contentType, etag: `"${name}-${encoded.encoding}"`, policy: POLICY };
  }

  /** Facades that nobody explores open no files. */
  #open(): ExplorerAssets {
    this.#assets ??= new ExplorerAssets();
    return this.#assets;
  }
}

/** The names of the headers that carry credentials. */
function headerNames({
  token,
  oauth2,
}: AuthenticationMethods): Pick<PanelConfig, 'headerNames' | 'tokenHeader'> {
  const names = [token?.httpHeader, 'Authorization', oauth2?.httpHeader];
  return {
    headerNames: [...new Set(names.filter((name) => typeof name === 'string'))],
    tokenHeader: token?.httpHeader ?? null,
  };
}

function encodePage(html: string, encoding: Encoding): ExplorerFile {
  const compress = { br: brotliCompressSync, gzip: gzipSync };
  const body = encoding === 'identity' ? Buffer.from(html) : compress[encoding](html);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, encoding, contentType: 'text/html; charset=utf-8', etag, policy: POLICY };
}
