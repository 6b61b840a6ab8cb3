// Tests that damaged descriptions give valid schemas or are rejected.

import { buildSchema, parse, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { assembleSchema } from '../../src/schema/assemble.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { DescriptionError } from '../../src/upstream/errors.ts';
import { problemsOf } from '../helpers/schema-problems.ts';

const JUNK = [
  null,
  0,
  'x',
  '',
  [],
  {},
  true,
  'Resource',
  '__proto__',
  '/../x',
  'http://evil/',
  ['node'],
  [''],
  [null],
  'hash_list',
];
const NAMES = [
  'node',
  'nodes',
  'session',
  '1st',
  'a-b',
  'query',
  'id',
  'first',
  'after',
  'filter',
  'limit',
  'label',
  'constructor',
  'database_id',
  'user_errors',
  'action_state',
  'input',
  'wait',
];

type Tree = Record<string, unknown>;

/** Returns every place in a JSON value: its parent and its key. */
function placesOf(tree: unknown, places: [Tree, string][] = []): [Tree, string][] {
  if (typeof tree !== 'object' || tree === null) return places;
  for (const key of Object.keys(tree)) {
    places.push([tree as Tree, key]);
    placesOf((tree as Tree)[key], places);
  }
  return places;
}

/** Generates a reproducible sequence of small numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

/** Deletes, replaces, renames and swaps some places. */
function damage(tree: Tree, next: (below: number) => number): void {
  const places = placesOf(tree);
  const pick = (): [Tree, string] => places[next(places.length)] ?? [tree, 'help'];
  for (let count = next(30); count >= 0; count--) {
    const [holder, key] = pick();
    const value = holder[key];
    const way = next(4);
    if (way === 1) holder[key] = JUNK[next(JUNK.length)];
    else if (way === 3) {
      const [other, otherKey] = pick();
      // Copies the value, because a description is a tree.
      holder[key] = structuredClone(other[otherKey]);
    } else {
      delete holder[key];
      if (way === 2 && !Array.isArray(holder)) holder[NAMES[next(NAMES.length)] ?? 'x'] = value;
    }
  }
}

it('gives SDL that can be parsed although its texts end in half a character', async () => {
  await using sandbox = await listenSandbox();
  const answer = await fetch(`${sandbox.url}/?describe=default`, { method: 'OPTIONS' });
  const { response } = (await answer.json()) as { response: Tree };
  for (const [parent, key] of placesOf(response))
    if (['label', 'description'].includes(key) && typeof parent[key] === 'string') parent[key] += '\ud83d';
  const { schema } = assembleSchema(parseDescription(response));
  expect(() => parse(printSchema(schema))).not.toThrow();
});

describe('a damaged description', { timeout: 60_000 }, () => {
  it('gives a valid schema or is rejected', async () => {
    await using sandbox = await listenSandbox();
    const answer = await fetch(`${sandbox.url}/?describe=default`, { method: 'OPTIONS' });
    const { response } = (await answer.json()) as { response: Tree };
    const next = numbers(20_261_121);
    let rejected = 0;
    for (let run = 0; run < 50; run++) {
      const raw = structuredClone(response);
      damage(raw, next);
      try {
        const { schema } = assembleSchema(parseDescription(raw));
        expect(problemsOf(schema)).toEqual([]);
        buildSchema(printSchema(schema));
      } catch (error) {
        if (!(error instanceof DescriptionError)) throw error;
        rejected += 1;
      }
    }
    expect(rejected).toBeLessThan(9);
  });
});
