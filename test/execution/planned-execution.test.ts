// Tests that the planned execution gives what graphql-js gives.
import fc from 'fast-check';
import { type ExecutionArgs, type ExecutionResult, execute, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { PlannedExecution } from '../../src/execution/planned-execution.ts';
import { ODD_SCHEMA, OddContext } from '../helpers/odd-schema.ts';
import { type Choose, type RandomOperation, writeOperation } from '../helpers/random-documents.ts';

const SEED = 20_261_122;
const OPERATIONS = 3_000;

/** Generates operations of the odd schema. */
const operations = fc.infiniteStream(fc.nat()).map((stream): RandomOperation => {
  const choose: Choose = (below) => Number(stream.next().value) % below;
  return writeOperation(ODD_SCHEMA, choose, true);
});

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Everything that can be seen of an execution. */
async function observe(run: Execute, args: ExecutionArgs, isAsync: boolean) {
  const contextValue = new OddContext(isAsync);
  const returned = run({ ...args, contextValue });
  const { data, errors, ...others } = await contextValue.settleAll(Promise.resolve(returned));
  const described = errors?.map((error) => ({
    ...error.toJSON(),
    cause: error.originalError === undefined ? null : String(error.originalError),
  }));
  const isPromise = returned instanceof Promise;
  return {
    isPromise,
    text: JSON.stringify(data),
    data,
    errors: described,
    others,
    calls: contextValue.calls,
  };
}

/** Executes as graphql-js does. Where an item of a list throws, graphql-js leaves the promises of the other items unhandled. */
async function observeReference(args: ExecutionArgs, isAsync: boolean) {
  const event = 'unhandledRejection';
  const listeners = process.listeners(event);
  process.removeAllListeners(event).on(event, () => undefined);
  try {
    return await observe(execute, args, isAsync);
  } finally {
    // The event comes after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners(event);
    for (const listener of listeners) process.on(event, listener);
  }
}

describe('the planned execution', { timeout: 300_000 }, () => {
  it.each([
    ['returns', false],
    ['promises', true],
  ])('gives data, errors and calls of graphql-js when each resolver %s its values', async (_way, isAsync) => {
    const planned = new PlannedExecution();
    await fc.assert(
      fc.asyncProperty(operations, async ({ query, variables }) => {
        const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables };
        const expected = await observeReference(args, isAsync);
        // The second execution uses the plan of the first.
        expect(await observe(planned.execute, args, isAsync)).toEqual(expected);
        expect(await observe(planned.execute, args, isAsync)).toEqual(expected);
      }),
      { seed: SEED, numRuns: OPERATIONS },
    );
  });
});
