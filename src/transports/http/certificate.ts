// Reads the certificate of the server, and uses a new one when its files change.
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Log } from '../../telemetry/log.ts';

/** The files of a certificate, in PEM. */
export interface CertificateFiles {
  /** The certificate of the server, then those of its issuers. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate cannot be used. The message names its files, and contains nothing of them. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** The content of the files. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Time between two checks of the files. Checks find changes on network drives and in Kubernetes too, where events get lost. Milliseconds. */
const CHECK_INTERVAL = 5_000;

/** The certificate in the files. When they hold one that cannot be used, this is logged, and the previous one stays in use. */
export class ServerCertificate implements Disposable {
  readonly #files: CertificateFiles;
  readonly #log: Log | undefined;
  readonly #check = (): void => this.readAgain();
  #used: Certificate;
  #server: Server | null = null;
  #firstCheck: NodeJS.Timeout | undefined;

  /** @throws CertificateError when a file cannot be read, or the key is not that of the certificate. */
  constructor(files: CertificateFiles, log: Log | undefined) {
    this.#files = files;
    this.#log = log;
    this.#used = readCertificate(files);
  }

  createServer(options: ServerOptions, listener: RequestListener): Server {
    this.#server = createServer({ ...options, ...this.#used }, listener);
    return this.#server;
  }

  /** Checks the files for changes until it is disposed of. */
  watch(): void {
    for (const file of [this.#files.certificate, this.#files.key])
      watchFile(file, { persistent: false, interval: CHECK_INTERVAL }, this.#check);
    // The watch begins a moment after the files were read, and misses what changes in between.
    this.#firstCheck = setTimeout(() => this.readAgain(), CHECK_INTERVAL).unref();
  }

  /** Reads the files, and uses what is in them for new connections. */
  readAgain(): void {
    try {
      const found = readCertificate(this.#files);
      if (found.cert === this.#used.cert && found.key === this.#used.key) return;
      this.#server?.setSecureContext(found);
      this.#used = found;
      this.#log?.info('the certificate files have changed, and new connections use them');
    } catch (error) {
      // Both files change one after the other, so they may match at the next check.
      if (!(error instanceof CertificateError)) throw error;
      this.#log?.warn(`${error.message} The previous certificate stays in use.`);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#firstCheck);
    for (const file of [this.#files.certificate, this.#files.key]) unwatchFile(file, this.#check);
  }
}

function readCertificate(files: CertificateFiles): Certificate {
  try {
    const content = { cert: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(content);
    return content;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CertificateError(
      `The certificate ${files.certificate} with the key ${files.key} cannot be used: ${reason}.`,
    );
  }
}
