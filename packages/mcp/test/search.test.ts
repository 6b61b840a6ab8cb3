// Tests what is found in a schema of production size, and how long answers and the list of tools are.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { encode } from 'gpt-tokenizer';
import type { GraphQLSchema } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembleSchema, parseDescription } from '../../../src/index.ts';
import { SchemaIndex } from '../src/search.ts';
import { startAgents } from './agents.ts';
import { QUESTIONS, type Question, UNTUNED } from './questions.ts';

const FILE = new URL('../../../../shared/data/production-description.json.gz', import.meta.url);
const isThere = existsSync(FILE);

describe.skipIf(!isThere)('search over a description of production size', () => {
  let index: SchemaIndex;
  beforeAll(() => {
    const raw = JSON.parse(gunzipSync(readFileSync(FILE)).toString());
    const { schema }: { schema: GraphQLSchema } = assembleSchema(parseDescription(raw.response ?? raw));
    index = new SchemaIndex(schema);
  });

  const foundOf = (questions: readonly Question[]) =>
    questions.filter(([question, ...fields]) => {
      const found = index.find(question);
      return fields.some((field) => found.includes(field));
    });

  it('finds the field of five questions of six among the first eight', () => {
    expect(foundOf(QUESTIONS).length).toBeGreaterThanOrEqual((QUESTIONS.length * 5) / 6);
  });

  it('finds the field of most questions by which it was not made', () => {
    expect(foundOf(UNTUNED).length).toBeGreaterThanOrEqual(10);
  });

  it.each([...QUESTIONS, ...UNTUNED])('answers "%s" with at most 900 tokens', (question) => {
    expect(encode(index.answer(question)).length).toBeLessThanOrEqual(900);
  });

  it('prints a type by its name, with at most 900 tokens', () => {
    expect(index.answer('Vps')).toMatch(/^type Vps \{ id: ID!/);
    expect(encode(index.answer('Vps')).length).toBeLessThanOrEqual(900);
  });
});

it('lists its tools with at most 500 tokens', async () => {
  await using agents = await startAgents();
  const tools = await agents.connect().list();
  expect(tools.map(({ name }) => name)).toEqual(['search_schema', 'query', 'write', 'follow_action']);
  expect(encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(500);
});
