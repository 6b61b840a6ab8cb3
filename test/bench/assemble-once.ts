// Assembles one description in a process of its own, and prints how long that takes and blocks other work.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { defaultOverrides } from '../../src/overrides/defaults.ts';
import { SchemaRegistry } from '../../src/schema/registry.ts';

const file = process.argv[2] ?? '';
const bytes = readFileSync(file);
const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');

let longest = 0;
let last = performance.now();
/** Measures the time between two turns of the event loop. */
function tick(): void {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
  timer = setImmediate(tick);
}
let timer = setImmediate(tick);

const started = performance.now();
const registry = new SchemaRegistry({ overrides: defaultOverrides });
const { schema } = await registry.schemaFor(
  {
    fingerprint: '',
    length: text.length,
    read() {
      const { response } = JSON.parse(text);
      return response.versions?.default ?? response;
    },
  },
  'whole',
);
const total = performance.now() - started;
clearImmediate(timer);
longest = Math.max(longest, performance.now() - last);

console.log(
  JSON.stringify({
    bytes: Buffer.byteLength(text),
    types: Object.keys(schema.getTypeMap()).length,
    total,
    blocked: longest,
  }),
);
