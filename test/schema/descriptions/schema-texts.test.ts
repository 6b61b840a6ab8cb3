// Tests that texts in another language change nothing but texts, whatever they say.
import fc from 'fast-check';
import { parse, print, visit } from 'graphql';
import { expect, it } from 'vitest';
import { listenSandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { printSDL } from '../../../src/schema/print-schema.ts';
import { SchemaRegistry } from '../../../src/schema/registry.ts';
import type { DescriptionText } from '../../../src/upstream/description/description-source.ts';
import { send } from '../../helpers/sandbox-requests.ts';

const TEXT_KEYS: ReadonlySet<string> = new Set(['label', 'description', 'message']);

/** Texts that mean something in English, and others. */
const text = fc.oneof(
  fc.constantFrom(
    'Deprecated, use another',
    'For internal use',
    'Filter by id',
    'In MiB',
    'ID',
    'x - y',
    '',
    '"""',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

/** Replaces each text of a description by the next one. Choices that are a list become a map with labels. */
function replaceTexts(value: unknown, next: () => string, key = ''): unknown {
  if (typeof value === 'string') return TEXT_KEYS.has(key) ? next() : value;
  if (key === 'values' && Array.isArray(value) && value.every((choice) => typeof choice === 'string'))
    return Object.fromEntries(value.map((choice) => [choice, next()]));
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replaceTexts(inner, next, name)]),
  );
}

const describedBy = (description: unknown, fingerprint: string): DescriptionText => ({
  fingerprint,
  length: 1_000,
  read: () => description,
});

/** The definitions without descriptions, and without the reasons of deprecations. */
const withoutTexts = (sdl: string): string =>
  print(
    visit(parse(sdl), {
      enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
      Directive: (node) => (node.name.value === 'deprecated' ? { ...node, arguments: [] } : undefined),
    }),
  );

it('leave names, order, types and what is deprecated as they are', async () => {
  await using sandbox = await listenSandbox();
  const { envelope } = await send(sandbox, '/?describe=default', undefined, { method: 'OPTIONS' });
  const description = envelope['response'];
  const seed = Number(process.env['SEED'] ?? 1);
  const numRuns = Number(process.env['RUNS'] ?? 5);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 50, maxLength: 200 }), async (texts) => {
      const registry = new SchemaRegistry();
      const served = await registry.schemaFor(describedBy(description, 'own'), 'whole');
      const before = printSDL(served.schema);
      let index = 0;
      const next = (): string => texts[index++ % texts.length] ?? '';
      const other = describedBy(replaceTexts(description, next), 'other');
      const found = await registry.textsFor(served, other);
      expect(found).not.toBeNull();
      found?.applyToSchema();
      const after = printSDL(served.schema);
      expect(after).not.toBe(before);
      expect(withoutTexts(after)).toBe(withoutTexts(before));
    }),
    { seed, numRuns, endOnFailure: true },
  );
});
