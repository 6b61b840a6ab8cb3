// Assembles one description in a process of its own, and prints how long each step takes.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { defaultOverrides } from '../../src/overrides/defaults.ts';
import { assembleSchema } from '../../src/schema/assemble.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';

const file = process.argv[2] ?? '';
const bytes = readFileSync(file);
const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');

const started = performance.now();
const { response } = JSON.parse(text);
const read = performance.now();
const description = parseDescription(response.versions?.default ?? response);
const parsed = performance.now();
const { schema } = assembleSchema(description, defaultOverrides);
const assembled = performance.now();

console.log(
  JSON.stringify({
    bytes: Buffer.byteLength(text),
    types: Object.keys(schema.getTypeMap()).length,
    json: read - started,
    parse: parsed - read,
    assemble: assembled - parsed,
    total: assembled - started,
  }),
);
