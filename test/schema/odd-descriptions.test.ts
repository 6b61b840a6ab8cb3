// Tests that texts with half a character give SDL that can be parsed.

import { parse, printSchema } from 'graphql';
import { expect, it } from 'vitest';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { assembleSchema } from '../../src/schema/assemble.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';

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

it('gives SDL that can be parsed although its texts end in half a character', async () => {
  await using sandbox = await listenSandbox();
  const answer = await fetch(`${sandbox.url}/?describe=default`, { method: 'OPTIONS' });
  const { response } = (await answer.json()) as { response: Tree };
  for (const [parent, key] of placesOf(response))
    if (['label', 'description'].includes(key) && typeof parent[key] === 'string') parent[key] += '\ud83d';
  const { schema } = assembleSchema(parseDescription(response));
  expect(() => parse(printSchema(schema))).not.toThrow();
});
