// Assembles one description in a process of its own, and prints how long that takes and how much memory it holds.
import { readFileSync } from 'node:fs';
import { SchemaRegistry } from '../../../src/schema/registry.ts';

const text = readFileSync(process.argv[2] ?? '', 'utf8');

const heap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
};

const before = heap();
const started = performance.now();
const registry = new SchemaRegistry();
const { schema } = await registry.schemaFor(
  { fingerprint: '', length: text.length, read: () => JSON.parse(text).response },
  'whole',
);
const total = performance.now() - started;
console.log(JSON.stringify({ types: Object.keys(schema.getTypeMap()).length, total, heap: heap() - before }));
