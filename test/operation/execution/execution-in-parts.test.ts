// Tests the execution in parts: what each part has is what another executor gives, and its order does not depend on time.
import { execute as executeByTools, isIncrementalResults } from '@graphql-tools/executor';
import fc from 'fast-check';
import { buildSchema, type ExecutionArgs, OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import type {
  IncrementalPart,
  IncrementalResult,
} from '../../../src/operation/incremental/incremental-result.ts';
import { ODD_SCHEMA, OddContext } from '../../helpers/odd-schema.ts';
import { type Choose, type RandomOperation, writeOperation } from '../../helpers/random-documents.ts';
import { runReference } from '../../helpers/reference-execution.ts';
import { createExecution } from '../../helpers/uncontrolled.ts';

const SEED = Number(process.env['SEED'] ?? 20_261_124);
const RUNS = Number(process.env['RUNS'] ?? 500);

/** Generates queries of the odd schema with deferred fragments and streamed lists. */
const operations = fc.infiniteStream(fc.nat()).map((stream): RandomOperation => {
  const choose: Choose = (below) => Number(stream.next().value) % below;
  return writeOperation(ODD_SCHEMA, choose, true, true);
});

type OnePart = IncrementalPart & {
  readonly data?: unknown;
  readonly items?: unknown;
  readonly label?: string;
};
/** The text of a part of which an error has left nothing. */
const EMPTY = /^\{"(data|items)":null/;

type Execute = (args: ExecutionArgs) => Promise<IncrementalResult | AsyncIterable<IncrementalResult>>;

const byTools: Execute = async (args) => {
  const result = await executeByTools(args);
  if (!isIncrementalResults(result)) return result as IncrementalResult;
  return (async function* () {
    yield result.initialResult as IncrementalResult;
    yield* result.subsequentResults as AsyncIterable<IncrementalResult>;
  })();
};

/** What a part has: its path and label, its data as a text, and whether there are errors. The other executor keeps some below null. */
interface Seen {
  readonly place: string;
  readonly path: readonly (string | number)[];
  readonly text: string;
  readonly hasFailed: boolean;
}

/** Executes an operation, and collects its parts. */
async function observe(execute: Execute, args: ExecutionArgs, isAsync: boolean) {
  const contextValue = new OddContext(isAsync);
  const parts: Seen[] = [];
  const ends: unknown[] = [];
  const add = ({ data, items, label, path = [], errors = [] }: OnePart): void => {
    parts.push({
      place: `${label} ${path.join('.')}`,
      path,
      text: JSON.stringify({ data, items }),
      hasFailed: errors.length > 0,
    });
  };
  const collect = async (): Promise<void> => {
    const result = await execute({ ...args, contextValue });
    for await (const part of Symbol.asyncIterator in result ? result : [result]) {
      ends.push(part.hasNext);
      if (part.incremental === undefined) add(part);
      else part.incremental.forEach(add);
    }
  };
  await contextValue.settleAll(collect());
  return { parts, ends };
}

/** Whether a path leads to a place that is null in one of the parts. */
const isGone = (path: Seen['path'], parts: readonly Seen[]): boolean =>
  parts.some((part) => {
    const { data, items } = JSON.parse(part.text);
    if (!part.path.every((step, index) => step === path[index])) return false;
    let at: unknown = items === undefined ? data : items[0];
    for (const step of path.slice(part.path.length)) at = at === null ? null : Object(at)[step];
    return at === null && path.length > part.path.length;
  });

/** The parts by label and path, without the order of their fields. Fragments that are selected twice send some of them twice. */
const unordered = (parts: readonly Seen[]) =>
  new Map(parts.map(({ place, text, hasFailed }) => [place, { hasFailed, data: JSON.parse(text) }]));

describe('the execution in parts', { timeout: 300_000 }, () => {
  it.each([
    ['returns', false],
    ['promises', true],
  ])('gives the parts of another executor when a resolver %s its value', async (_way, isAsync) => {
    const { executeInParts } = createExecution();
    let parts = 0;
    await fc.assert(
      fc.asyncProperty(operations, async ({ query, variables }) => {
        const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables };
        if (validate(ODD_SCHEMA, args.document, [OverlappingFieldsCanBeMergedRule]).length > 0) return;
        const expected = await runReference(() => observe(byTools, args, isAsync));
        const own = await observe(executeInParts, args, isAsync);
        expect(own.ends.slice(0, -1)).toEqual(own.ends.slice(1).map(() => true));
        expect(own.ends.at(-1)).toBe(own.ends.length === 1 ? undefined : false);
        // After an error that leaves nothing of a part, the other executor drops items before it.
        if ([...own.parts, ...expected.parts].some(({ text }) => EMPTY.test(text))) return;
        const reachable = expected.parts.filter(({ path }) => !isGone(path, expected.parts));
        const [mine, others] = [unordered(own.parts), unordered(reachable)];
        // Where two parts have the same path, the error of one makes the other executor drop the other.
        for (const [place, part] of mine) if (part.hasFailed && !others.has(place)) mine.delete(place);
        expect(mine).toEqual(others);
        parts += own.parts.length;
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(parts).toBeGreaterThan(RUNS / 2);
  });

  it('gives each part in the same order, whenever its values come', async () => {
    const { executeInParts } = createExecution();
    await fc.assert(
      fc.asyncProperty(operations, async ({ query, variables }) => {
        const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables };
        const [now, later] = [
          await observe(executeInParts, args, false),
          await observe(executeInParts, args, true),
        ];
        const known = new Set(now.parts.map(({ place, text }) => place + text));
        for (const { place, text } of later.parts) expect(known).toContain(place + text);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  it('has the fields of a part in the order of the document, when the last one comes first', async () => {
    const schema = buildSchema('type Query { a: Int b: Int c: Int more: Query }');
    const later = (value: number, first: Promise<unknown>) => () => first.then(() => value);
    const now = Promise.resolve();
    const pair = { a: later(1, new Promise((resolve) => setImmediate(resolve))), b: later(2, now), c: 3 };
    const result = await createExecution().executeInParts({
      schema,
      document: parse('{ a b c ... @defer { more { a b c } } }'),
      rootValue: { ...pair, more: pair },
    });
    const parts: unknown[] = [];
    for await (const part of result as AsyncIterable<unknown>) parts.push(part);
    expect(JSON.stringify(parts)).toBe(
      JSON.stringify([
        { data: { a: 1, b: 2, c: 3 }, hasNext: true },
        { incremental: [{ data: { more: { a: 1, b: 2, c: 3 } }, path: [] }], hasNext: false },
      ]),
    );
  });

  it('executes a deferred fragment once for each directive, however often it is nested', async () => {
    const schema = buildSchema('type Query { a: Int }');
    const levels = Array.from(
      { length: 20 },
      (_, level) => `fragment F${level} on Query { ...F${level + 1} @defer ...F${level + 1} @defer a }`,
    );
    const document = parse(`{ ...F0 } ${levels.join(' ')} fragment F20 on Query { a }`);
    const result = await createExecution().executeInParts({ schema, document, rootValue: { a: 1 } });
    let parts = 0;
    for await (const { incremental = [] } of result as AsyncIterable<IncrementalResult>)
      parts += incremental.length;
    expect(parts).toBe(40);
  });
});
