// Makes the page of the explorer, compressed and with its content security policy.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { AuthenticationMethods } from '../upstream/description/description.ts';
import type { PanelConfig } from './explorer-page.ts';

/** The page, ready to be sent. All answers share its buffer. */
export interface EncodedPage {
  readonly body: Buffer;
  /** Differs for each content and encoding. */
  readonly etag: string;
  readonly contentEncoding: 'br' | 'gzip' | null;
  /** Value of the header `Content-Security-Policy`. */
  readonly policy: string;
}

type Encodings = Readonly<Record<'br' | 'gzip' | 'identity', EncodedPage>>;

/** More takes seconds for a page of nine megabytes, and makes it hardly smaller. */
const BROTLI_QUALITY = 5;

/** The page of the explorer. It is made for the first request, and again when the API describes other credential headers. */
export class Explorer {
  readonly #authentication: () => AuthenticationMethods;
  readonly #panel: Pick<PanelConfig, 'endpoint' | 'basePath' | 'oauth' | 'prefilled'>;
  #made: { readonly key: string; readonly encodings: Promise<Encodings> } | null = null;

  /** @param authentication Returns the described authentication methods. The page itself needs no upstream. */
  constructor(
    authentication: () => AuthenticationMethods,
    panel: Pick<PanelConfig, 'endpoint' | 'basePath' | 'oauth' | 'prefilled'>,
  ) {
    this.#authentication = authentication;
    this.#panel = panel;
  }

  /** The page in an encoding. */
  async page(encoding: keyof Encodings): Promise<EncodedPage> {
    const config = { ...this.#panel, ...headerNames(this.#authentication()) };
    const key = JSON.stringify(config);
    if (this.#made?.key !== key) this.#made = { key, encodings: makePage(config) };
    return (await this.#made.encodings)[encoding];
  }
}

async function makePage(config: PanelConfig): Promise<Encodings> {
  // Imported at first use, because GraphiQL takes 120 ms and 45 MB.
  const { renderExplorer } = await import('./explorer-page.ts');
  const html = renderExplorer({ title: 'Optiongraph' }, config);
  const body = Buffer.from(html);
  const hash = createHash('sha256').update(body).digest('base64url');
  const policy = policyFor(html);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(body, { params }),
    promisify(gzip)(body),
  ]);
  return {
    br: { body: brotli, etag: `"${hash}-br"`, contentEncoding: 'br', policy },
    gzip: { body: gzipped, etag: `"${hash}-gzip"`, contentEncoding: 'gzip', policy },
    identity: { body, etag: `"${hash}"`, contentEncoding: null, policy },
  };
}

/** Allows the scripts of the page and nothing else that could run code, send data elsewhere or show the page in a frame. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script\b[^>]*>(.*?)<\/script/gs)].map(([, text = '']) => text);
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src ${hashes.join(' ')}`,
    // The editor makes style elements, and its workers from blobs.
    "style-src 'unsafe-inline'",
    'worker-src blob:',
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The names of the headers that carry credentials. */
function headerNames({
  token,
  oauth2,
}: AuthenticationMethods): Pick<PanelConfig, 'headerNames' | 'tokenHeader'> {
  const names = [token?.httpHeader, 'Authorization', oauth2?.httpHeader];
  return {
    headerNames: names.filter((name) => typeof name === 'string'),
    tokenHeader: token?.httpHeader ?? null,
  };
}
