// Tests that equal introspections share an execution.
import { buildSchema, type ExecutionArgs, type ExecutionResult, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { Introspection } from '../../src/operation/introspection.ts';
import { LargeJson } from '../../src/operation/results/large-json.ts';

const schema = buildSchema('type Query { name: String }');
const argsOf = (text: string): ExecutionArgs => ({ schema, document: parse(text) });
const session = { texts: null, pause: (): undefined => undefined };

/** Executions that end when they are told to. */
function startExecutions() {
  const ends: { resolve: (result: ExecutionResult) => void; reject: (error: unknown) => void }[] = [];
  const introspection = new Introspection('on', new LargeJson());
  const ask = (text: string) =>
    introspection.execute(
      argsOf(text),
      () => new Promise((resolve, reject) => ends.push({ resolve, reject })),
      session,
    );
  return { ends, ask };
}

const QUERY = '{ __schema { types { name } } }';
const RESULT = { data: { __schema: { types: [] } } };

describe('equal introspections', () => {
  it('share an execution while it runs, and its result afterwards', async () => {
    const { ends, ask } = startExecutions();
    const results = [ask(QUERY), ask(`${QUERY} `)];
    expect(ends).toHaveLength(1);
    ends[0]?.resolve(RESULT);
    expect(await Promise.all(results)).toEqual([RESULT, RESULT]);
    expect(await ask(QUERY)).toEqual(RESULT);
    void ask('{ __schema { queryType { name } } }');
    expect(ends).toHaveLength(2);
  });

  it('begin again when the client of the first has left', async () => {
    const { ends, ask } = startExecutions();
    const left = expect(ask(QUERY)).rejects.toThrow('left');
    const waiting = ask(QUERY);
    ends[0]?.reject(new Error('left'));
    await left;
    expect(ends).toHaveLength(2);
    ends[1]?.resolve(RESULT);
    expect(await waiting).toEqual(RESULT);
  });

  it('begin again when the first has ended with an error, such as that of its own time', async () => {
    const { ends, ask } = startExecutions();
    const failed = { data: null, errors: [new GraphQLError('The operation took too long.')] };
    const first = ask(QUERY);
    const waiting = ask(QUERY);
    ends[0]?.resolve(failed);
    expect(await first).toEqual(failed);
    await new Promise(setImmediate);
    expect(ends).toHaveLength(2);
    ends[1]?.resolve(RESULT);
    expect(await waiting).toEqual(RESULT);
  });
});
