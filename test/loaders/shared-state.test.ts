// Tests that the techniques that save calls change no answer: random queries, with all of them and with none.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { ask, collectLog, startPair } from '../helpers/facade.ts';
import { type Choose, type RandomOperation, writeOperation } from '../helpers/random-documents.ts';

const SEED = 20_261_122;
const QUERIES = 60;
/** Queries that are sent at once. */
const TOGETHER = 10;

const OFF = { earlyReads: false, idWindows: false, sharedReads: false };

it('random queries have the same data and errors, alone and at once, and cost no more calls', async () => {
  await using pair = await startPair({ facade: { savings: OFF } });
  await using saving = await createFacade({
    upstream: new URL(pair.sandbox.url),
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    log: collectLog(),
  });
  const [numbers] = fc.sample(fc.infiniteStream(fc.nat()), { seed: SEED, numRuns: 1 });
  const choose: Choose = (below) => Number(numbers?.next().value) % below;
  const queries: RandomOperation[] = [];
  while (queries.length < QUERIES) {
    const operation = writeOperation(pair.facade.schema.schema, choose);
    if (operation.query.startsWith('query')) queries.push(operation);
  }

  let calls = { plain: 0, saving: 0 };
  const send = async (facade: Facade, { query, variables }: RandomOperation, login: 'admin' | 'user') => {
    const answer = await ask(facade, query, { variables, headers: pair.headers(login) });
    const errors = answer.errors.map(({ message, path, extensions }) =>
      JSON.stringify([message, path, extensions['code']]),
    );
    const upstream = answer.extensions['upstream'] as { readonly calls: number } | undefined;
    return { data: answer.data, errors: errors.sort(), calls: upstream?.calls ?? 0 };
  };

  let compared = 0;
  for (let start = 0; start < QUERIES; start += TOGETHER) {
    const batch = queries.slice(start, start + TOGETHER);
    for (const login of ['admin', 'user'] as const) {
      const sendAll = async () => {
        const answers = [];
        for (const query of batch) answers.push(await send(pair.facade, query, login));
        return answers;
      };
      const before = await sendAll();
      // Equal queries follow each other, so that the second begins while the calls of the first are under way.
      const twice = batch.flatMap((query) => [query, query]);
      const together = await Promise.all(twice.map((query) => send(saving, query, login)));
      const after = await sendAll();
      for (const [index, { calls: plain, ...expected }] of before.entries()) {
        // A few values of the sandbox change with time.
        if (JSON.stringify(expected) !== JSON.stringify({ ...after[index], calls: undefined })) continue;
        compared += 1;
        for (const { calls: saved, ...answer } of together.slice(2 * index, 2 * index + 2)) {
          expect(answer, batch[index]?.query).toEqual(expected);
          calls = { plain: calls.plain + plain, saving: calls.saving + saved };
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(QUERIES);
  expect(calls.saving).toBeLessThan(calls.plain);
}, 120_000);
