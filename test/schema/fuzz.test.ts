// Tests that no description and no operation over it makes the facade fail inside itself.
import fc from 'fast-check';
import { buildSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createFacade } from '../../src/facade/facade.ts';
import { type AssembledSchema, assembleSchema } from '../../src/schema/assemble.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { DescriptionError } from '../../src/upstream/errors.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { action, type Raw, resource } from '../helpers/describe-api.ts';
import { ask, collectLog } from '../helpers/facade.ts';
import { HOSTILE_NAMES, hostileDescription } from '../helpers/hostile-descriptions.ts';
import { type Choose, writeOperation } from '../helpers/random-documents.ts';
import { problemsOf } from '../helpers/schema-problems.ts';
import { type Answer, ok, raw, refuse, startStub } from '../helpers/stub-upstream.ts';

const SEED = 20_261_122;
const DESCRIPTIONS = 40;
const SERVED = 5;
const OPERATIONS = 12;

/** Assembles a description; null where it is refused with the documented error. */
function assemble(description: unknown): AssembledSchema | null {
  try {
    return assembleSchema(parseDescription(description));
  } catch (error) {
    if (error instanceof DescriptionError) return null;
    throw error;
  }
}

function expectValid({ schema }: AssembledSchema): void {
  expect(problemsOf(schema)).toEqual([]);
  const text = printSchema(schema);
  expect(printSchema(buildSchema(text))).toBe(text);
}

/** Everything that a description names as a namespace or a parameter. */
function namesIn(value: unknown, names = new Set<string>(['_meta', ...HOSTILE_NAMES])): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return names;
  for (const [key, item] of Object.entries(value)) {
    names.add(key);
    if (key === 'namespace' && typeof item === 'string') names.add(item);
    namesIn(item, names);
  }
  return names;
}

const VALUES: readonly unknown[] = [
  null,
  1,
  7,
  0.5,
  true,
  'x',
  '',
  '2020-01-01',
  [],
  {},
  { id: 1 },
  { id: 7, label: 'x' },
];

/** An answer with every name of a description in it, or a fault. */
function randomAnswer(names: readonly string[], choose: Choose): Answer {
  const way = choose(12);
  if (way === 0)
    return refuse('no', { x: ['is odd'], __proto__: ['y'] }, [200, 400, 401, 403, 404, 409, 500][choose(7)]);
  if (way === 1) return raw('{"status":true,"response":');
  const row = (): Raw =>
    Object.fromEntries([...names.map((name) => [name, VALUES[choose(VALUES.length)]]), ['id', choose(5)]]);
  const value = (): unknown => [row(), [row(), row()], [], null, 7][Math.max(0, choose(12) - 7)];
  return ok({
    ...Object.fromEntries(names.map((name) => [name, value()])),
    _meta: { action_state_id: choose(3), total_count: choose(9) },
  });
}

describe('a hostile description', { timeout: 120_000 }, () => {
  it('gives a valid schema, or the error of a description', () => {
    let refused = 0;
    fc.assert(
      fc.property(hostileDescription, (description) => {
        const assembled = assemble(description);
        if (assembled === null) refused += 1;
        else expectValid(assembled);
      }),
      { seed: SEED, numRuns: DESCRIPTIONS },
    );
    expect(refused).toBeLessThan(DESCRIPTIONS / 2);
  });

  it('may have thousands of parameters in an action', () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p_${index}`, 'String']));
    const shelf = resource({
      index: action({
        path: '/shelves',
        namespace: 'shelves',
        layout: 'object_list',
        input: many,
        output: many,
      }),
      create: action({ path: '/shelves', method: 'POST', namespace: 'shelf', input: many, output: many }),
    });
    const assembled = assemble({ resources: { shelf } });
    expect(assembled).not.toBeNull();
    if (assembled !== null) expectValid(assembled);
  });

  it('serves operations without a failure of the facade', async () => {
    const wrong: string[] = [];
    let answered = 0;
    const cases = fc.sample(fc.tuple(hostileDescription, fc.infiniteStream(fc.nat())), {
      seed: SEED,
      numRuns: SERVED,
    });
    for (const [description, numbers] of cases) {
      if (assemble(description) === null) continue;
      const choose: Choose = (below) => Number(numbers.next().value) % below;
      const names = [...namesIn(description)];
      await using stub = await startStub({}, {});
      stub.onOptions = () => ok(description);
      stub.onUnknownPath = () => randomAnswer(names, choose);
      const log = collectLog();
      const transport = { retry: { delay: 1 } };
      const watch = { interval: 5, retryDeadline: 20, retryDelay: [1, 5] } as const;
      const descriptionCredential = readAuthorization(CREDENTIAL);
      await using facade = await createFacade({
        upstream: stub.url,
        log,
        transport,
        watch,
        descriptionCredential,
      });
      for (let count = 0; count < OPERATIONS; count += 1) {
        const { query, variables } = writeOperation(facade.schema.schema, choose);
        const { data, errors } = await ask(facade, query, {
          variables,
          headers: { authorization: CREDENTIAL },
        });
        if (data !== null) answered += 1;
        const codes = errors.map(({ extensions }) => extensions['code']);
        if (codes.some((code) => typeof code !== 'string' || code === 'INTERNAL'))
          wrong.push(
            `${query} ${JSON.stringify(variables)}: ${JSON.stringify(errors)} ${log.lines.join(' ')}`,
          );
      }
    }
    expect(wrong, `seed ${SEED}`).toEqual([]);
    expect(answered).toBeGreaterThan(SERVED);
  });
});

const CREDENTIAL = `Basic ${Buffer.from('reader:secret').toString('base64')}`;
const GOOD = {
  shelf: resource({
    index: action({
      path: '/shelves',
      namespace: 'shelves',
      layout: 'object_list',
      output: { id: 'Integer' },
    }),
  }),
};

const ODD: Readonly<
  Record<string, { readonly description: Raw; readonly report: RegExp | null; readonly isRefused?: boolean }>
> = {
  '`query` beside `Query`': {
    description: {
      resources: { ...GOOD, query: GOOD.shelf, Query: GOOD.shelf },
      authentication: { basic: {} },
    },
    report: /TYPE_NAME_CLASH/,
  },
  'nothing in it': { description: {}, report: /without one|without a description/, isRefused: true },
  'no resources': { description: { resources: {}, authentication: {} }, report: null },
  ...Object.fromEntries(
    ['Host', 'Cookie', 'Content-Length', 'X Y'].map((header) => [
      `a token in the header ${header}`,
      {
        description: { resources: GOOD, authentication: { token: { http_header: header, resources: {} } } },
        report: /AUTHENTICATION_MALFORMED/,
      },
    ]),
  ),
};

describe.each(Object.entries(ODD))(
  'a description with %s',
  (_name, { description, report, isRefused = false }) => {
    it('is reported and survived at the start', async () => {
      await using stub = await startStub({}, {});
      stub.onOptions = () => ok(description);
      const log = collectLog();
      const starting = createFacade({ upstream: stub.url, log });
      if (isRefused) return await expect(starting).rejects.toThrow(report ?? '');
      await using facade = await starting;
      expect(facade.schema.findings.map(({ code }) => code).join(' ')).toMatch(report ?? /^$/);
      const { errors } = await ask(facade, '{ __typename }', { headers: { cookie: 'a=b' } });
      expect(errors).toEqual([]);
    });

    it('is reported and survived at a refresh', async () => {
      await using stub = await startStub({ resources: GOOD }, {});
      const log = collectLog();
      await using facade = await createFacade({ upstream: stub.url, log });
      await ask(facade, '{ __typename }');
      stub.onOptions = () => ok(description);
      await facade.refresh();
      const codes = facade.schema.findings.map(({ code }) => code);
      expect([...log.lines, ...codes].join('\n')).toMatch(report ?? /changed/);
      const { errors } = await ask(facade, '{ __typename }', { headers: { cookie: 'a=b' } });
      expect(errors).toEqual([]);
    });
  },
);
