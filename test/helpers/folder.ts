// Makes a folder that is removed after the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder for one test. */
export interface TestFolder extends Disposable {
  readonly path: string;
  /** Writes a file with a text, or a value as JSON, in folders that are made for it. Returns its path. */
  write(name: string, content: unknown): string;
}

/** Makes an empty folder. */
export function makeFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'optiongraph-'));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}
