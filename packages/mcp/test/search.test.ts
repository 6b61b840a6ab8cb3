// Tests what is found in a schema of production size, and how long answers and the list of tools are.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { encode } from 'gpt-tokenizer';
import type { GraphQLSchema } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembleSchema, parseDescription } from '../../../src/index.ts';
import { createSearch } from '../src/search.ts';
import { startAgents } from './agents.ts';
import { OPERATORS, QUESTIONS, type Question, UNSEEN } from './questions.ts';

const FILE = new URL('../../../../shared/data/production-description.json.gz', import.meta.url);
const isThere = existsSync(FILE);

describe.skipIf(!isThere)('search over a description of production size', () => {
  let search: Awaited<ReturnType<typeof createSearch>>;
  beforeAll(async () => {
    const raw = JSON.parse(gunzipSync(readFileSync(FILE)).toString());
    const { schema }: { schema: GraphQLSchema } = assembleSchema(parseDescription(raw.response ?? raw));
    search = await createSearch(schema);
  });

  const foundOf = (questions: readonly Question[]) =>
    questions.filter(([question, ...fields]) => {
      const found = search.find(question);
      return fields.some((field) => found.includes(field));
    });

  it.each([
    ['the issue', QUESTIONS],
    ['operators', OPERATORS],
    ['people who came last', UNSEEN],
  ])('finds the field of five questions of six among the first eight: those of %s', (_who, questions) => {
    expect(foundOf(questions).length).toBeGreaterThanOrEqual((questions.length * 5) / 6);
  });

  it('answers each question with at most 900 tokens', () => {
    for (const [question] of [...QUESTIONS, ...OPERATORS, ...UNSEEN])
      expect(encode(search.answer(question)).length, question).toBeLessThanOrEqual(900);
  });

  it('prints all of a type by its name, in parts of at most 900 tokens', () => {
    const [first, second] = [search.answer('Vps'), search.answer('Vps 2')];
    expect(first).toMatch(/^type Vps implements Node \{ id: ID! .*\nThere is more: search for Vps 2\.$/s);
    expect(second).toMatch(/\}$/);
    for (const part of [first, second]) expect(encode(part).length).toBeLessThanOrEqual(900);
  });

  it('prints the input of a field by the name of the field', () => {
    expect(search.answer('Mutation.dnsRecordCreate')).toMatch(
      /^Mutation\.dnsRecordCreate\(input: \w+!.*\ninput \w+ \{.*content: String!.*\nenum \w+ \{ A AAAA /s,
    );
  });
});

it('lists its tools with at most 500 tokens', async () => {
  await using agents = await startAgents();
  const tools = await agents.connect().list();
  expect(tools.map(({ name }) => name)).toEqual(['search_schema', 'query', 'follow_action', 'write']);
  expect(encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(500);
});
