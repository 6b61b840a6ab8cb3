// Tests what is generated from the definitions of settings: the schema of the file, the tables of documents, and help.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listDocuments, printConfigSchema, printDocument } from '../../codegen.ts';
import { serveSettings } from '../../src/config/serve-settings.ts';
import { settingsOf } from '../../src/config/setting.ts';
import { runRecorded } from '../helpers/read-config.ts';

describe('what is generated from the settings', () => {
  test('is up to date: the schema of the file with all defaults, and the tables of documents (`npm run codegen` updates them)', () => {
    const schema = new URL('../../config.schema.json', import.meta.url);
    expect(readFileSync(schema, 'utf8')).toBe(printConfigSchema());
    for (const file of listDocuments()) {
      const text = readFileSync(file, 'utf8');
      expect(text).toBe(printDocument(text));
    }
  });

  test('is the help of each command', async () => {
    const { output } = await runRecorded(['serve', '--help']);
    expect(output).toMatch(/--port <N> +TCP port; 0 is any free one \(PORT; default: 4000\)/);
    expect(output).toMatch(/Secrets.+_FILE.+UPSTREAM_AUTHORIZATION\./);
    expect((await runRecorded(['sandbox', '--help'])).output).toContain('--habits <JSON>');
    const help = (await runRecorded(['--help'])).output;
    for (const word of ['serve', 'sandbox', 'config', '2 wrong arguments or settings'])
      expect(help).toContain(word);
    expect((await runRecorded(['--version'])).output).toBe('1.2.3');
  });

  test('says the unit of each time', () => {
    const times = settingsOf(serveSettings).filter(({ key }) => /Time$|timeout$|slowOperation$/.test(key));
    expect(times.length).toBeGreaterThan(3);
    for (const { help } of times) expect(help).toContain('in milliseconds');
  });
});
