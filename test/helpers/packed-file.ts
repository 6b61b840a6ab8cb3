// Packs the package, as npm publishes it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A packed file and what npm says of it. */
export interface PackedFile {
  readonly path: string;
  readonly files: readonly string[];
  /** Bytes. */
  readonly unpackedSize: number;
  /** Hash of its bytes. */
  readonly integrity: string;
}

/** Packs what has been built. @param into An existing folder. @param root Default: this repository. */
export function pack(into: string, root: string = ROOT): PackedFile {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const [{ filename, files, unpackedSize, integrity }] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8' }),
  );
  return {
    path: join(into, filename),
    files: files.map(({ path }: { path: string }) => path),
    unpackedSize,
    integrity,
  };
}
