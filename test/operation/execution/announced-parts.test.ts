// Tests parts that are announced: they have what parts with paths have, and each id begins and ends once.
import fc from 'fast-check';
import { type ExecutionArgs, OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import type {
  IncrementalResult,
  PartsFormat,
  PendingPart,
} from '../../../src/operation/incremental/incremental-result.ts';
import { ODD_SCHEMA, OddContext } from '../../helpers/odd-schema.ts';
import { type Choose, type RandomOperation, writeOperation } from '../../helpers/random-documents.ts';
import { createExecution } from '../../helpers/uncontrolled.ts';

const SEED = Number(process.env['SEED'] ?? 20_261_126);
const RUNS = Number(process.env['RUNS'] ?? 500);

const operations = fc.infiniteStream(fc.nat()).map((stream): RandomOperation => {
  const choose: Choose = (below) => Number(stream.next().value) % below;
  return writeOperation(ODD_SCHEMA, choose, true, true);
});

const { executeInParts } = createExecution();

async function collect(args: ExecutionArgs, format: PartsFormat): Promise<readonly IncrementalResult[]> {
  const contextValue = new OddContext(false);
  const results: IncrementalResult[] = [];
  const run = async (): Promise<void> => {
    const result = await executeInParts({ ...args, contextValue }, format);
    for await (const part of Symbol.asyncIterator in result ? result : [result]) results.push(part);
  };
  await contextValue.settleAll(run());
  return results;
}

/** What clients get: the values at each path and label, in the order in which they come. Null for what an error has left nothing of. */
type Received = Map<string, unknown[]>;

function receive(received: Received, { path, label }: Partial<PendingPart>, values: unknown): void {
  const place = `${label} ${path?.join('.')}`;
  received.set(place, [...(received.get(place) ?? []), values]);
}

function withPaths(results: readonly IncrementalResult[]): Received {
  const received: Received = new Map();
  for (const part of results.flatMap(({ incremental = [] }) => incremental)) {
    const path = 'items' in part ? part.path?.slice(0, -1) : part.path;
    receive(
      received,
      { ...part, ...(path && { path }) },
      'items' in part ? (part.items?.[0] ?? null) : part.data,
    );
  }
  return received;
}

function withIds(results: readonly IncrementalResult[]): Received {
  const received: Received = new Map();
  const open = new Map<string, PendingPart>();
  const used = new Set<string>();
  for (const { pending = [], incremental = [], completed = [], hasNext } of results) {
    for (const part of pending) {
      expect(used).not.toContain(part.id);
      used.add(part.id);
      open.set(part.id, part);
    }
    for (const part of incremental) {
      const announced = open.get(part.id ?? '');
      expect(announced, 'an announced part that has not ended').toBeDefined();
      receive(received, announced ?? {}, 'items' in part ? part.items?.[0] : part.data);
    }
    for (const { id, errors } of completed) {
      if (errors !== undefined) receive(received, open.get(id) ?? {}, null);
      expect(open.delete(id)).toBe(true);
    }
    if (hasNext === false) expect([...open]).toEqual([]);
  }
  return received;
}

/** By place: of parts that come at once, those that an error has left nothing of end last. */
const inOrder = (received: Received): readonly string[] =>
  [...received].map((part) => JSON.stringify(part)).sort();

it('have what parts with paths have', { timeout: 300_000 }, async () => {
  let parts = 0;
  await fc.assert(
    fc.asyncProperty(operations, async ({ query, variables }) => {
      const args = { schema: ODD_SCHEMA, document: parse(query), variableValues: variables };
      if (validate(ODD_SCHEMA, args.document, [OverlappingFieldsCanBeMergedRule]).length > 0) return;
      const [known, announced] = [await collect(args, 'path'), await collect(args, 'pending')];
      expect(inOrder(withIds(announced))).toEqual(inOrder(withPaths(known)));
      expect(announced[0]?.data).toEqual(known[0]?.data);
      parts += withPaths(known).size;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(parts).toBeGreaterThan(RUNS / 5);
});
