// Tests the user errors of failed actions and the related overrides, also with the production description.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { type Overrides, parseOverrides } from '../../../src/schema/model/overrides.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { openApi } from '../../helpers/described.ts';
import { startPair } from '../../helpers/facade.ts';
import { type Handler, ok, refuse, type StubCall } from '../../helpers/stub-upstream.ts';
import { openWorkshop, WORKSHOP } from '../../helpers/workshop.ts';

const OVERRIDES = {
  actionStateResources: ['job'],
  failedSteps: { 'step#index': { where: { failed: true }, message: 'note' } },
} satisfies Overrides;
const FAILED = { id: 500, current: 3, finished: true, status: false, label: 'Sharpen' } as const;
const SHARPEN = `mutation {
  toolSharpen(id: 5, wait: 5) { actionState { outcome } userErrors { code message path } }
}`;

const step = (id: number, more: object = {}) => ({
  id,
  job: { id: 500, label: 'Sharpen', _meta: { resolved: false } },
  failed: true,
  note: `step ${id}`,
  ...more,
});
const steps =
  (...rows: readonly object[]): Handler =>
  () =>
    ok({ steps: rows });

async function sharpen(handler: Handler, overrides: Overrides = OVERRIDES, state: object = FAILED) {
  await using shop = await openWorkshop({ 'step#index': handler }, { overrides });
  shop.actions.set({ id: 500, ...state });
  const { data, errors } = await shop.ask<{
    toolSharpen: { actionState: object; userErrors: { message: string }[] };
  }>(SHARPEN);
  expect(errors).toEqual([]);
  const calls: readonly StubCall[] = shop.upstream.calls.filter(({ scope }) => scope === 'step#index');
  return { payload: data?.toolSharpen, message: data?.toolSharpen.userErrors[0]?.message, calls };
}

describe('the user error of a failed action', () => {
  it.each([
    ['its label and progress', FAILED, 'The action "Sharpen" failed at 3 of 10.'],
    [
      'the unit of its progress',
      { ...FAILED, unit: 'strokes' },
      'The action "Sharpen" failed at 3 of 10 strokes.',
    ],
    ['only its label', { ...FAILED, total: 0 }, 'The action "Sharpen" failed.'],
    ['no details', { ...FAILED, label: null, current: null, total: null }, 'The action failed.'],
  ])('contains %s if the API returns it', async (_name, state, message) => {
    const { payload, calls } = await sharpen(steps(), {}, state);
    expect(payload).toEqual({
      actionState: { outcome: 'FAILED' },
      userErrors: [{ code: 'ACTION_FAILED', message, path: null }],
    });
    expect(calls).toEqual([]);
  });

  it('contains the first failed step, which needs one call', async () => {
    const { message, calls } = await sharpen(steps(step(9), step(8), step(7, { failed: false })));
    expect(message).toBe('The action "Sharpen" failed at 3 of 10. Failed step: step 8');
    expect(calls.map(({ query }) => Object.fromEntries(query))).toEqual([
      { 'step[job]': '500', 'step[failed]': 'true', 'step[limit]': '100' },
    ]);
  });

  it.each([
    ['belong to another action', steps(step(1, { job: { id: 499, label: 'Other' } }))],
    [
      'do not say whose they are',
      steps(step(1, { job: null }), step(2, { job: { _meta: { authorized: false } } })),
    ],
    ['did not fail', steps(step(1, { failed: false }), step(2, { failed: null }))],
    ['have no message', steps(step(1, { note: null }), step(2, { note: '' }), step(3, { note: {} }))],
    ['do not exist', steps()],
    ['cannot be read', () => refuse('broken', null, 500)],
    ['are forbidden to the caller', () => refuse('no', null, 403)],
    ['have another format', () => ok({ steps: 'none' })],
  ])('contains no step if the steps %s', async (_name, handler) => {
    const { message } = await sharpen(handler);
    expect(message).toBe('The action "Sharpen" failed at 3 of 10.');
  });

  it('needs no call before the action fails', async () => {
    const succeeded = await sharpen(steps(step(1)), OVERRIDES, { finished: true, status: true });
    expect([succeeded.payload?.userErrors, succeeded.calls]).toEqual([[], []]);
  });

  it.each(['secret', 'id', 'nothing'])('never contains the output %s', async (message) => {
    const overrides = { ...OVERRIDES, failedSteps: { 'step#index': { where: { failed: true }, message } } };
    const answer = await sharpen(steps(step(1, { secret: 'canary-step' })), overrides);
    expect(answer.message).toBe('The action "Sharpen" failed at 3 of 10.');
    expect(answer.calls).toEqual([]);
    const { findings } = assembleSchema(parseDescription(WORKSHOP), overrides);
    expect(findings).toMatchObject([{ code: 'OVERRIDE_UNUSABLE', path: 'step#index' }]);
  });

  it('contains the action and progress of the sandbox', async () => {
    await using pair = await startPair({ sandbox: { step: 5 } });
    pair.sandbox.failNext('below');
    const { data } = await pair.ask(
      'mutation { datasetUpdate(id: 12, input: { quota: 99 }, wait: 20) { userErrors { message } } }',
      { login: 'user' },
    );
    expect(data).toMatchObject({
      datasetUpdate: {
        userErrors: [{ message: expect.stringMatching(/^The action ".+" failed at \d+ of \d+ \w+\.$/) }],
      },
    });
  });
});

describe('a resource that shares its IDs with action states', () => {
  const JOB = 'mutation { toolSharpen(id: 5) { actionState { job { id label } } } }';

  it('is a field of the state, which is fetched only if more than its ID is selected', async () => {
    await using shop = await openWorkshop({}, { overrides: OVERRIDES });
    const { data, errors } = await shop.ask(JOB);
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolSharpen: { actionState: { job: { id: 'job/500', label: 'Sharpen' } } } });
    const bare = await shop.ask('mutation { toolSharpen(id: 5) { actionState { id job { id } } } }');
    expect(bare.data).toEqual({
      toolSharpen: { actionState: { id: 'action_state/500', job: { id: 'job/500' } } },
    });
    expect(shop.upstream.calls.map(({ scope, path }) => [scope, ...path])).toEqual([
      ['tool#sharpen', '5'],
      ['job#show', '500'],
      ['tool#sharpen', '5'],
    ]);
  });

  it('is null if no object has the ID', async () => {
    await using shop = await openWorkshop(
      { 'job#show': () => refuse('no such job', null, 404) },
      { overrides: OVERRIDES },
    );
    expect(await shop.ask(JOB)).toMatchObject({
      errors: [],
      data: { toolSharpen: { actionState: { job: null } } },
    });
  });

  it('is not a field without an override', async () => {
    await using shop = await openWorkshop();
    expect((await shop.ask(JOB)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('is reported and omitted if its objects need several IDs', () => {
    const { findings } = assembleSchema(parseDescription(WORKSHOP), { actionStateResources: ['tool.part'] });
    expect(findings).toMatchObject([{ code: 'OVERRIDE_UNUSABLE', path: 'tool.part' }]);
  });
});

describe('the overrides about action states', () => {
  it('are read from JSON', () => {
    expect(parseOverrides(JSON.parse(JSON.stringify(OVERRIDES)))).toMatchObject(OVERRIDES);
  });

  it.each([
    [{ actionStateResources: 'job' }, 'actionStateResources: expected a list of strings'],
    [{ failedSteps: { 'step#index': 'note' } }, 'failedSteps.step#index: expected an object with'],
    [
      { failedSteps: { 'step#index': { where: { failed: [] }, message: 'note' } } },
      'failedSteps.step#index: expected',
    ],
    [{ failedSteps: { 'step#index': { where: {}, message: 1 } } }, 'failedSteps.step#index: expected'],
  ])('are rejected: %j', (raw, message) => {
    expect(() => parseOverrides(raw)).toThrow(message);
  });
});

const FILE = new URL('../../../../shared/data/production-description.json.gz', import.meta.url);
const isThere = existsSync(FILE);
if (!isThere) console.warn('skipped: ../shared/data/production-description.json.gz is not there');

const CHAIN = { id: 77, label: 'Restart', _meta: { path_params: [77], resolved: false } };
const transaction = (id: number, label: string, success: number, done: string) => ({
  id,
  transaction_chain: CHAIN,
  name: 'internal',
  label,
  success,
  done,
});

describe('a failed action of the production API', () => {
  it.skipIf(!isThere)('reports its failed transaction and has a field for its chain', async () => {
    const { response } = JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8'));
    const state = { id: 77, label: 'Restart', finished: true, status: false, current: 1, total: 3 };
    await using api = await openApi(response, {
      'vps#restart': () => ok({ _meta: { action_state_id: 77 } }),
      'vps#show': () => refuse('gone', null, 404),
      'action_state#poll': () => ok({ action_state: { ...state, unit: 'transactions' } }),
      'transaction#index': () =>
        ok({
          transactions: [
            transaction(903, 'Clean up', 0, 'waiting'),
            transaction(902, 'Start VPS', 0, 'done'),
            transaction(901, 'Stop VPS', 1, 'done'),
          ],
        }),
      'transaction_chain#show': () => ok({ transaction_chain: { id: 77, state: 'failed', size: 3 } }),
    });
    const { data, errors } = await api.ask(
      `mutation { vpsRestart(id: 17, wait: 5) {
        vps { id hostname } userErrors { code message }
        actionState { outcome transactionChain { id state size } }
      } }`,
      { token: null, headers: { authorization: 'Bearer one' } },
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      vpsRestart: {
        vps: null,
        userErrors: [
          {
            code: 'ACTION_FAILED',
            message: 'The action "Restart" failed at 1 of 3 transactions. Failed step: Start VPS',
          },
        ],
        actionState: {
          outcome: 'FAILED',
          transactionChain: { id: 'transaction_chain/77', state: 'FAILED', size: 3 },
        },
      },
    });
    const call = api.upstream.calls.find(({ scope }) => scope === 'transaction#index');
    expect(Object.fromEntries(call?.query ?? [])).toEqual({
      'transaction[transaction_chain]': '77',
      'transaction[success]': '0',
      'transaction[done]': 'done',
      'transaction[limit]': '100',
    });
  });
});
