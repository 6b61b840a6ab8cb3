// Makes self-signed certificates with openssl.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate that is its own authority. */
export interface TestCertificate {
  /** Names of the files, in PEM. */
  readonly files: { readonly certificate: string; readonly key: string };
  /** Their content. */
  readonly certificate: string;
  readonly key: string;
}

/** Makes a certificate of this machine in a folder, or replaces one there. It is valid for a day. */
export function makeCertificate(folder: string, name: string): TestCertificate {
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const output = ['-keyout', files.key, '-out', files.certificate];
  execFileSync('openssl', ['req', '-x509', '-days', '1', ...curve, ...subject, ...output], { stdio: 'pipe' });
  return {
    files,
    certificate: readFileSync(files.certificate, 'utf8'),
    key: readFileSync(files.key, 'utf8'),
  };
}
