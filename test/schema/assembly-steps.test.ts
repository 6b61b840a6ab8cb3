// Tests that assembly pauses often enough, however large the description is.
import { printSchema } from 'graphql';
import { expect, it } from 'vitest';
import { assembleSchema, assemblySteps } from '../../src/schema/assemble.ts';
import { parseDescription, parsingSteps } from '../../src/upstream/description/parse-description.ts';
import type { Steps } from '../../src/upstream/steps.ts';
import { describeApi, manyResources } from '../helpers/describe-api.ts';
import { problemsOf } from '../helpers/schema-problems.ts';

/** Runs all steps. */
function run<Result>(steps: Steps<Result>): { readonly count: number; readonly result: Result } {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { count, result: step.value };
  }
}

function countSteps(resources: number): { readonly parsing: number; readonly assembly: number } {
  const { count: parsing, result } = run(parsingSteps(describeApi(manyResources(resources))));
  return { parsing, assembly: run(assemblySteps(result)).count };
}

it('has as many steps for each further resource', () => {
  const [few, more, most] = [countSteps(10), countSteps(20), countSteps(40)];
  for (const kind of ['parsing', 'assembly'] as const) {
    // At least one step for each of the five actions of a resource.
    expect(more[kind] - few[kind]).toBeGreaterThanOrEqual(50);
    expect(most[kind] - more[kind]).toBe(2 * (more[kind] - few[kind]));
  }
});

it('gives the schema that it gives without pauses, and a valid one', () => {
  const description = parseDescription(describeApi(manyResources(10)));
  const { schema } = run(assemblySteps(description)).result;
  expect(printSchema(schema)).toBe(printSchema(assembleSchema(description).schema));
  expect(problemsOf(schema)).toEqual([]);
});

it('names thousands of resources whose names differ only in underscores', () => {
  const names = Array.from({ length: 3000 }, (_, index) =>
    [...index.toString(2).padStart(12, '0')].map((bit) => (bit === '1' ? 'a__' : 'a_')).join(''),
  );
  const { thing0 } = manyResources(1);
  const raw = describeApi(Object.fromEntries(names.map((name) => [name, thing0])));
  const { schema } = assembleSchema(parseDescription(raw));
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {}).length).toBeGreaterThan(3000);
});
