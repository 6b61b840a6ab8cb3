// Tests the pauses of executions: what they change nothing about, and how often they come.
import fc from 'fast-check';
import { buildSchema, type ExecutionResult, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import type { ExecutionControl } from '../../../src/operation/execution/pauses.ts';
import { PlannedExecution } from '../../../src/operation/execution/planned-execution.ts';
import type { IncrementalResult } from '../../../src/operation/incremental/incremental-result.ts';
import { Processor } from '../../../src/scheduling/processor.ts';
import { list, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ODD_SCHEMA, OddContext } from '../../helpers/odd-schema.ts';
import { type Choose, writeOperation } from '../../helpers/random-documents.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { UNCONTROLLED } from '../../helpers/uncontrolled.ts';

const SEED = 20_261_204;
const OPERATIONS = 700;

interface Case {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly seed: number;
}

const generate = (inParts: boolean): fc.Arbitrary<Case> =>
  fc.infiniteStream(fc.nat()).map((stream): Case => {
    const choose: Choose = (below) => Number(stream.next().value) % below;
    return { ...writeOperation(ODD_SCHEMA, choose, true, inParts), seed: choose(1_000) };
  });
const cases = generate(false);
const casesInParts = generate(true);

/** Pauses at every other field or so. */
function pauseOften(seed: number): ExecutionControl & { pauses: number } {
  let state = seed + 1;
  return {
    ...UNCONTROLLED,
    pauses: 0,
    pause() {
      state = (state * 48_271) % 2_147_483_647;
      if (state % 2 === 0) return undefined;
      this.pauses += 1;
      return Promise.resolve();
    },
  };
}

describe('an execution that pauses', { timeout: 300_000 }, () => {
  it.each([
    ['returns', false],
    ['promises', true],
  ])('gives what it gives without pauses when a resolver %s its value', async (_way, isAsync) => {
    let pauses = 0;
    const observe = async ({ query, variables }: Case, control: ExecutionControl): Promise<unknown> => {
      const { execute } = new PlannedExecution(() => control, 1);
      const contextValue = new OddContext(isAsync);
      const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables, contextValue };
      const result = await contextValue.settleAll(Promise.resolve(execute(args)));
      return { text: JSON.stringify(result), causes: causesOf(result), calls: contextValue.calls };
    };
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const control = pauseOften(one.seed);
        expect(await observe(one, control)).toEqual(await observe(one, UNCONTROLLED));
        pauses += control.pauses;
      }),
      { seed: SEED, numRuns: OPERATIONS },
    );
    expect(pauses).toBeGreaterThan(OPERATIONS);
  });
});

it('an execution in parts that pauses gives the parts that it gives without pauses', async () => {
  let count = 0;
  const observe = async ({ query, variables }: Case, control: ExecutionControl): Promise<unknown> => {
    const { executeInParts } = new PlannedExecution(() => control, 1);
    const contextValue = new OddContext(false);
    const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables, contextValue };
    const result = await executeInParts(args);
    const parts: string[] = [];
    for await (const one of Symbol.asyncIterator in result ? result : [result]) {
      const { data, incremental, errors }: IncrementalResult = one;
      parts.push(...(incremental ?? [{ data, errors }]).map((part) => JSON.stringify(part)));
    }
    count += parts.length;
    return parts.sort();
  };
  await fc.assert(
    fc.asyncProperty(casesInParts, async (one) => {
      expect(await observe(one, pauseOften(one.seed))).toEqual(await observe(one, UNCONTROLLED));
    }),
    { seed: SEED, numRuns: OPERATIONS },
  );
  expect(count).toBeGreaterThan(OPERATIONS * 2);
}, 300_000);

const causesOf = ({ errors = [] }: ExecutionResult): readonly string[] =>
  errors.map(({ originalError }) => String(originalError));

/** Pauses each time it is asked, and counts the fields that are resolved between two pauses. */
class PauseEachTime implements ExecutionControl {
  readonly abandoned = undefined;
  /** The fields between pauses, one number for each pause and one for the end. */
  readonly runs = [0];
  /** The pause after which it ends the execution. */
  last = Number.POSITIVE_INFINITY;
  #isPausing = false;

  readonly pause = (): Promise<void> | undefined => {
    this.runs.push(0);
    this.#isPausing = true;
    return new Promise((resolve, reject) =>
      setImmediate(() => {
        this.#isPausing = false;
        if (this.runs.length <= this.last) resolve();
        else reject(new Error('The client has left.'));
      }),
    );
  };

  /** Called by each resolver. */
  count(): void {
    expect(this.#isPausing).toBe(false);
    this.runs.push((this.runs.pop() ?? 0) + 1);
  }

  hold(): void {}

  resume(): void {}
}

const schema = buildSchema('type Query { rows: [Row!]! lists: [Query!]! } type Row { id: Int name: String }');

/** An execution whose rows are counted by the control. */
function openRows(control: PauseEachTime) {
  const { execute } = new PlannedExecution(() => control);
  const row = {
    id: () => control.count(),
    name: () => 'x',
  };
  const rows = (count: number) => Array.from({ length: count }, () => row);
  return {
    rows,
    run: (query: string, rootValue: object) => execute({ schema, document: parse(query), rootValue }),
  };
}

describe('a long execution', () => {
  it('pauses after each 100 fields and items', async () => {
    const control = new PauseEachTime();
    const { run, rows } = openRows(control);
    const { data } = await run('{ rows { id name } }', { rows: rows(100_000) });
    expect(data?.['rows']).toHaveLength(100_000);
    expect(control.runs.length).toBeGreaterThan((100_000 * 3) / 101);
    expect(Math.max(...control.runs)).toBeLessThan(100);
  });

  it('pauses in lists that come at once, of which no other begins meanwhile', async () => {
    const control = new PauseEachTime();
    const { run, rows } = openRows(control);
    const lists = Array.from({ length: 50 }, () => ({ rows: async () => rows(1_000) }));
    const { data } = await run('{ lists { rows { id name } } }', { lists });
    expect(data).toMatchObject({ lists: Array(50).fill({ rows: { length: 1_000 } }) });
    expect(control.runs.length).toBeGreaterThan((50 * 1_000 * 3) / 101);
    expect(Math.max(...control.runs)).toBeLessThan(100);
  });

  it.each(['arrive', 'fail'])('pauses among many promises of fields that %s at once', async (outcome) => {
    const control = new PauseEachTime();
    const { run } = openRows(control);
    let deliver: () => void = () => undefined;
    const delivered = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    const row = {
      async name() {
        await delivered;
        if (outcome === 'fail') throw new Error('no name');
        return 'x';
      },
    };
    const result = run('{ rows { name } }', { rows: Array(5_000).fill(row) });
    const before = control.runs.length;
    while (control.runs.length < 5_000 / 51) await new Promise(setImmediate);
    deliver();
    const { errors = [] } = await result;
    expect(errors).toHaveLength(outcome === 'fail' ? 5_000 : 0);
    expect(before).toBeLessThan(5);
    expect(control.runs.length).toBeGreaterThan((5_000 * 3) / 101);
  });

  it('pauses in introspection', async () => {
    const control = new PauseEachTime();
    const { data } = await openRows(control).run(getIntrospectionQuery(), {});
    expect(data).toHaveProperty('__schema');
    expect(control.runs.length).toBeGreaterThan(5);
  });

  it('handles what fails in a pause', async () => {
    const late = buildSchema('type Query { rows: [Any!] } union Any = Row type Row { id: Int }');
    const control = new PauseEachTime();
    const { execute } = new PlannedExecution(() => control);
    const { data, errors } = await execute({
      schema: late,
      document: parse('{ rows { ... on Row { id } } }'),
      rootValue: { rows: Array(200).fill({}) },
      typeResolver: async () => {
        throw new Error('of no type');
      },
    });
    expect(data).toEqual({ rows: null });
    expect(errors).toMatchObject([{ message: 'of no type', path: ['rows', 0] }]);
    expect(control.runs.length).toBeGreaterThan(2);
  });

  it('ends in a pause when nobody waits for it', async () => {
    const control = new PauseEachTime();
    control.last = 3;
    const { run, rows } = openRows(control);
    const { data, errors } = await run('{ rows { id name } }', { rows: rows(10_000) });
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ message: 'The client has left.' }]);
    expect(control.runs).toHaveLength(4);
    expect(control.runs.at(-1)).toBe(0);
  });
});

it('many short executions pause as a long one does', async () => {
  const control = new PauseEachTime();
  const { run, rows } = openRows(control);
  await Promise.all(Array.from({ length: 1_000 }, () => run('{ rows { id name } }', { rows: rows(5) })));
  expect(control.runs.length).toBeGreaterThan(100);
});

/** The calls of a second query for tasks with their owners: it knows that one list call can read the owners. */
async function callsForOwners(options: Partial<FacadeOptions>): Promise<readonly string[]> {
  const user = (id: number) => ({ id, name: `user ${id}`, email: `${id}@example.org` });
  const ids = Array.from({ length: 90 }, (_, index) => index + 1);
  const USER = { id: 'Integer', name: 'String', email: 'String' } as const;
  await using api = await openDescribed(
    {
      task: resource({ index: list('task', 'tasks', { id: 'Integer', owner: refersTo(['user']) }) }),
      user: resource({
        index: list('user', 'users', USER, { input: { limit: 'Integer', from_id: 'Integer' } }),
        show: show('user', 'users', USER),
      }),
    },
    {
      'task#index': () => ok({ tasks: ids.map((id) => ({ id, owner: { id, _meta: { resolved: false } } })) }),
      'user#show': ({ path: [id] }) => ok({ user: user(Number(id)) }),
      'user#index': ({ query }) => {
        const from = Number(query.get('user[from_id]') ?? 0);
        return ok({ users: ids.slice(from, from + Number(query.get('user[limit]'))).map(user) });
      },
    },
    options,
  );
  const query = '{ tasks(first: 90) { nodes { id again: id owner { name email } } } }';
  await api.ask(query);
  const before = api.upstream.calls.length;
  const { data, errors } = await api.ask(query);
  expect(errors).toEqual([]);
  expect(data).toMatchObject({ tasks: { nodes: { length: ids.length } } });
  return api.upstream.calls.slice(before).map(({ scope }) => scope);
}

it('a pause does not split what is fetched together', async () => {
  // Each look at this clock takes longer than a slice of the processor.
  let time = 0;
  const now = (): number => {
    time += 10;
    return time;
  };
  const afterEvents = (call: () => void): void => void setImmediate(call);
  const processor = new Processor({ clock: { now, afterEvents } });
  expect(await callsForOwners({})).toEqual(['task#index', 'user#index']);
  expect(await callsForOwners({ shared: { processor } })).toEqual(['task#index', 'user#index']);
});
