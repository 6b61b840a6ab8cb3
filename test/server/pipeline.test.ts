// Tests the order of the pipeline: of several faults of an operation the first decides, and nothing after it happens.
import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Observer } from '../../src/observer.ts';
import { type Allowance, CostBudget } from '../../src/server/cost/cost-limit.ts';
import { DEFAULT_LIMITS } from '../../src/server/limits.ts';
import type { OperationRequest } from '../../src/server/operation-request.ts';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

/** The faults in the order in which the pipeline looks for them: the error of each, and the steps before it. */
const FAULTS = [
  ['unreadable', /no parameters/, []],
  ['unknownId', /PersistedQueryNotFound/, []],
  ['ambiguous', /credentials/, ['session']],
  ['spent', /budget for your operations/, ['session']],
  ['syntax', /Syntax Error/, ['session', 'parse']],
  ['nested', /repeats the field/, ['session', 'parse']],
  ['unknownField', /Cannot query field "nope"/, ['session', 'parse', 'validate']],
  ['unknownName', /Could not determine/, ['session', 'parse', 'validate']],
  ['kind', /not over this transport/, ['session', 'parse', 'validate']],
  ['stopping', /shutting down/, ['session', 'parse', 'validate']],
  ['introspects', /Introspection is turned off/, ['session', 'parse', 'validate']],
  ['costly', /The operation costs/, ['session', 'parse', 'validate']],
] as const;

type Fault = (typeof FAULTS)[number][0];

/** A budget that is spent when a test says so, and records what is charged for operations. */
class TestBudget extends CostBudget {
  isSpent = false;
  readonly charges: number[] = [];

  override left(): Allowance {
    return {
      limit: 100,
      window: 4,
      remaining: this.isSpent ? 0 : 100,
      reset: 1,
      retryAfter: Number(this.isSpent),
    };
  }

  override charge(_session: unknown, cost: number): Allowance {
    this.charges.push(cost);
    return this.left();
  }
}

const budget = new TestBudget(DEFAULT_LIMITS, joinAlone());
const steps: string[] = [];
const observer: Observer = {
  operation: () => undefined,
  step: ({ step }) => {
    steps.push(step);
    return undefined;
  },
};
const open = (): Promise<Workshop> =>
  openWorkshop(
    {},
    {
      observer,
      introspection: 'off',
      limits: { operationCost: 100, repeatedFields: 20 },
      shared: { costBudget: budget },
    },
  );

let serving: Workshop;
let stopping: Workshop;
beforeAll(async () => {
  [serving, stopping] = await Promise.all([open(), open()]);
  stopping.facade.shutdown.begin();
});
afterAll(async () => {
  await serving[Symbol.asyncDispose]();
  await stopping[Symbol.asyncDispose]();
});

/** The number of the document: a text that has been parsed before is not charged again. */
let documents = 0;

function writeDocument(has: (fault: Fault) => boolean): string {
  documents += 1;
  const fields = ['tool(id: 5) { name }'];
  if (has('nested')) fields.push(`${'x '.repeat(30)}`);
  if (has('unknownField')) fields.push('nope');
  if (has('introspects')) fields.push('__schema { queryType { name } }');
  if (has('costly'))
    fields.push(
      `other: tool(id: 6) { ${Array.from({ length: 150 }, (_, index) => `a${index}: name`).join(' ')} }`,
    );
  return `query Tool { ${fields.join(' ')} } ${has('syntax') ? '{' : ''} # ${documents}`;
}

async function carryOut(faults: readonly Fault[]) {
  const has = (fault: Fault): boolean => faults.includes(fault);
  const { facade, upstream } = has('stopping') ? stopping : serving;
  const headers: Readonly<Record<string, string>> = {
    'x-library-token': 'one',
    ...(has('ambiguous') ? { authorization: 'Bearer x' } : {}),
  };
  const header = (name: string): string | null => headers[name.toLowerCase()] ?? null;
  const requester = { header, address: undefined, requestId: 'given', signal: undefined };
  const query = writeDocument(has);
  const request: OperationRequest = {
    requester,
    report: facade.pipeline.beginReport(requester, 'http'),
    acceptsParts: false,
    liveAs: 'result',
    readSent() {
      if (has('unreadable')) throw new GraphQLError('There are no parameters.');
      const operationName = has('unknownName') ? 'Other' : 'Tool';
      return has('unknownId') ? { documentId: 'unknown' } : { query, operationName };
    },
    admit() {
      if (has('kind')) throw new GraphQLError('Such operations are not over this transport.');
    },
  };
  budget.isSpent = has('spent');
  for (const list of [budget.charges, steps, upstream.calls]) list.length = 0;
  const result = await facade.pipeline.run(request);
  if (!('errors' in result || 'data' in result)) throw new TypeError('expected a single result');
  const calls = upstream.calls.filter(({ scope }) => scope !== 'OPTIONS').length;
  return { result, query, calls };
}

it('refuses an operation with the first of its faults, and does nothing that comes after it', async () => {
  const names = FAULTS.map(([name]) => name);
  await fc.assert(
    fc.asyncProperty(fc.subarray([...names], { minLength: 1 }), async (faults) => {
      const { result, query, calls } = await carryOut(faults);
      const index = names.findIndex((name) => faults.includes(name));
      const [, message, expectedSteps] = FAULTS[index] ?? FAULTS[0];
      expect(result).not.toHaveProperty('data');
      expect(result.errors).toHaveLength(1);
      expect(result.errors?.[0]).toMatchObject({
        message: expect.stringMatching(message),
        extensions: { code: expect.any(String), requestId: 'given' },
      });
      expect(steps).toEqual(expectedSteps);
      // A new document is charged when it is parsed, one that is not valid as such, and nothing else of an operation that is refused.
      const charges = expectedSteps.includes('parse' as never) ? [query.length] : [];
      expect(budget.charges).toEqual(names[index] === 'unknownField' ? [...charges, 150] : charges);
      expect(calls).toBe(0);
    }),
    { seed: 20_261_123, numRuns: 300 },
  );
});

it('executes and charges an operation without faults', async () => {
  const { result, query, calls } = await carryOut([]);
  expect(result).toMatchObject({ data: { tool: { name: 'tool 5' } } });
  expect(steps).toEqual(['session', 'parse', 'validate', 'execute']);
  expect(budget.charges).toEqual([query.length, 27]);
  expect(calls).toBe(1);
});
