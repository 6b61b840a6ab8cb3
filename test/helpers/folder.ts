// Makes a folder that is removed after the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder. */
export function makeFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'optiongraph-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
