// Tests that the planned execution gives what graphql-js gives.
import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLResolveInfo,
  parse,
  subscribe,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  execute as executePlanned,
  subscribe as subscribeByPlan,
} from '../../../src/server/execution/execute.ts';
import { ODD_SCHEMA, OddContext } from '../../helpers/odd-schema.ts';
import { type Choose, type RandomOperation, writeOperation } from '../../helpers/random-documents.ts';

const SEED = 20_261_122;
const OPERATIONS = 200;
const SUBSCRIPTIONS = 50;

/** Generates operations of the odd schema. */
const operations = fc.infiniteStream(fc.nat()).map((stream): RandomOperation => {
  const choose: Choose = (below) => Number(stream.next().value) % below;
  return writeOperation(ODD_SCHEMA, choose, true);
});

/** Runs graphql-js or the executor of graphql-tools. Where an item of a list throws, they leave the promises of the other items unhandled. */
async function runReference<T>(run: () => Promise<T>): Promise<T> {
  const event = 'unhandledRejection';
  const listeners = process.listeners(event);
  process.removeAllListeners(event).on(event, () => undefined);
  try {
    return await run();
  } finally {
    // The event comes after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners(event);
    for (const listener of listeners) process.on(event, listener);
  }
}

/** What each execution says of a value that claims to be of a wrong type. Ours has one sentence for all such faults. */
const WRONG_TYPE = /^(Abstract type|Runtime Object type|Support for returning)|which is no object type of/;

/** Everything that can be seen of a result. */
function describeResult({ data, errors, ...others }: ExecutionResult) {
  const described = errors?.map((error) => {
    if (WRONG_TYPE.test(error.message)) return { ...error.toJSON(), message: 'wrong type' };
    const cause = error.originalError === undefined ? null : String(error.originalError);
    return { ...error.toJSON(), cause };
  });
  return { text: JSON.stringify(data), data, errors: described, others };
}

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Everything that can be seen of an execution. */
async function observe(run: Execute, args: ExecutionArgs, isAsync: boolean) {
  const contextValue = new OddContext(isAsync);
  const returned = run({ ...args, contextValue });
  const result = await contextValue.settleAll(Promise.resolve(returned));
  return { ...describeResult(result), isPromise: returned instanceof Promise, calls: contextValue.calls };
}

type Subscribe = (args: ExecutionArgs) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;

/** Everything that can be seen of a subscription. */
async function observeEvents(subscribe: Subscribe, args: ExecutionArgs) {
  const contextValue = new OddContext(true);
  const results: unknown[] = [];
  const collect = async (): Promise<void> => {
    try {
      const events = await subscribe({ ...args, contextValue });
      if (!(Symbol.asyncIterator in events)) results.push(describeResult(events));
      else for await (const event of events) results.push(describeResult(event));
    } catch (error) {
      results.push(String(error));
    }
  };
  await contextValue.settleAll(collect());
  return { results, calls: contextValue.calls };
}

/** Makes a subscription of an operation. The first field of its root has the events. */
const toSubscription = (query: string): string =>
  query
    .replace(/^\w+/, 'subscription')
    .replaceAll(/on (Query|Mutation)\b/g, 'on Subscription')
    .replace('{ __typename f0', '{ f0');

describe('the planned execution', { timeout: 300_000 }, () => {
  it.each([
    ['returns', false],
    ['promises', true],
  ])('gives data, errors and calls of graphql-js when a resolver %s its value', async (_way, isAsync) => {
    await fc.assert(
      fc.asyncProperty(operations, async ({ query, variables }) => {
        const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables };
        const expected = await runReference(() => observe(execute, args, isAsync));
        // The second execution uses the plan of the first.
        expect(await observe(executePlanned, args, isAsync)).toEqual(expected);
        expect(await observe(executePlanned, args, isAsync)).toEqual(expected);
      }),
      { seed: SEED, numRuns: OPERATIONS },
    );
  });

  it('gives the events of graphql-js', async () => {
    let events = 0;
    await fc.assert(
      fc.asyncProperty(operations, async ({ query, variables }) => {
        const document = parse(toSubscription(query));
        const args = { schema: ODD_SCHEMA, document, variableValues: variables };
        const expected = await runReference(() => observeEvents(subscribe, args));
        expect(await observeEvents((given) => subscribeByPlan(given, executePlanned), args)).toEqual(
          expected,
        );
        events += expected.results.length;
      }),
      { seed: SEED, numRuns: SUBSCRIPTIONS },
    );
    expect(events).toBeGreaterThan(SUBSCRIPTIONS);
  });

  it('selects by the variables of each execution', async () => {
    const schema = buildSchema('type Query { a: Int b: Int }');
    const document = parse('query ($a: Boolean!, $b: Boolean!) { a @include(if: $a) b @skip(if: $b) }');
    const run = (a: boolean, b: boolean) =>
      executePlanned({ schema, document, rootValue: { a: 1, b: 2 }, variableValues: { a, b } });
    for (let round = 0; round < 2; round += 1) {
      expect(run(true, true)).toEqual({ data: { a: 1 } });
      expect(run(false, false)).toEqual({ data: { b: 2 } });
      expect(run(true, false)).toEqual({ data: { a: 1, b: 2 } });
      expect(run(false, true)).toEqual({ data: {} });
    }
  });

  it('gives resolvers the same arguments and field nodes in each execution, and keeps them from changing', () => {
    const schema = buildSchema('type Query { sum(a: Int = 1, b: Int): Int }');
    const document = parse('query ($b: Int) { x: sum(b: $b) y: sum(b: 2) }');
    const nodes: unknown[] = [];
    const rootValue = {
      sum: (args: { a: number; b: number }, _context: unknown, info: GraphQLResolveInfo) => {
        nodes.push(info.fieldNodes);
        expect(() => {
          args.a = 7;
        }).toThrow(TypeError);
        return args.a + args.b;
      },
    };
    for (const b of [1, 10])
      expect(executePlanned({ schema, document, rootValue, variableValues: { b } })).toEqual({
        data: { x: 1 + b, y: 3 },
      });
    expect(nodes[2]).toBe(nodes[0]);
    expect(nodes[3]).toBe(nodes[1]);
  });
});
