// Tests mutations: the call of a write, and the results that its payload has.
import { describe, expect, it } from 'vitest';
import { ask, type Pair, startPair } from '../../helpers/facade.ts';
import { signIn } from '../../helpers/sign-in.ts';
import { ok, refuse } from '../../helpers/stub-upstream.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const CREATE = `mutation {
  dnsRecordCreate(
    input: { dnsZone: 4, name: "home", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }
    wait: 20
  ) { dnsRecord { id dynamicUpdateUrl } }
}`;
const UPDATE = `mutation ($token: String!) {
  dnsRecordDynamicUpdate(accessToken: $token, wait: 10) {
    dnsRecord: result { content }
    actionState { outcome progress }
    userErrors { message }
  }
}`;
const updated = {
  dnsRecord: { content: '127.0.0.1' },
  actionState: { outcome: 'SUCCEEDED', progress: 1 },
  userErrors: [],
};

/** The secret of a new record that its client may update. */
async function secretOf(pair: Pair): Promise<string> {
  const { data } = await pair.ask<{ dnsRecordCreate: { dnsRecord: { dynamicUpdateUrl: string } } }>(CREATE);
  return data?.dnsRecordCreate.dnsRecord.dynamicUpdateUrl.split('/').at(-1) ?? '';
}

describe('waiting for a dynamic update', () => {
  it('works for a caller whose token has another scope', async () => {
    await using pair = await startPair({ sandbox: { step: 20 } });
    const token = await secretOf(pair);
    const scoped = await signIn(pair.sandbox, { scope: 'dataset#index' });
    const headers = { [pair.sandbox.tokenHeader]: scoped };
    const { data, errors } = await ask(pair.facade, UPDATE, { variables: { token }, headers });
    expect(errors).toEqual([]);
    expect(data).toEqual({ dnsRecordDynamicUpdate: updated });
  });
});

const SUCCEEDED = { id: 500, current: 10, finished: true } as const;
const FAILED = { id: 500, current: 3, finished: true, status: false } as const;
const create = (fields: string) =>
  `mutation { toolCreate(input: { name: "saw" }, wait: 5) { tool { ${fields} } userErrors { code } } }`;
const scopes = ({ calls }: { readonly calls: readonly { readonly scope: string }[] }) =>
  calls.map(({ scope }) => scope).filter((scope) => !scope.startsWith('action_state'));

describe('the object in the payload of a mutation that waits', () => {
  it.each([
    ['rejected with 404', refuse('there is no such tool', null, 404)],
    ['rejected with 200', refuse('there is no such tool')],
  ])('is null if the action failed and reading the object is %s', async (_name, gone) => {
    await using shop = await openWorkshop({ 'tool#show': () => gone });
    shop.actions.set(FAILED);
    const { data, errors } = await shop.ask(create('id name owner { label }'));
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolCreate: { tool: null, userErrors: [{ code: 'ACTION_FAILED' }] } });
    expect(scopes(shop.upstream)).toEqual(['tool#create', 'tool#show']);
  });

  it('is null even if only its ID is selected', async () => {
    await using shop = await openWorkshop({ 'tool#show': () => refuse('gone', null, 404) });
    shop.actions.set(FAILED);
    expect(await shop.ask(create('id'))).toMatchObject({ errors: [], data: { toolCreate: { tool: null } } });
  });

  it.each([
    ['failed', FAILED],
    ['succeeded', SUCCEEDED],
  ])('is read once after the action has %s', async (_name, state) => {
    await using shop = await openWorkshop({
      'tool#create': () =>
        ok({ tool: { id: 1, name: 'to be', weight: 99 }, _meta: { action_state_id: 500 } }),
    });
    shop.actions.set(state);
    const { data, errors } = await shop.ask(
      `mutation { toolCreate(input: { name: "saw" }, wait: 5) {
        tool { name weight } query { tool(id: 1) { name weight } }
      } }`,
    );
    expect(errors).toEqual([]);
    const tool = { name: 'tool 1', weight: 7 };
    expect(data).toEqual({ toolCreate: { tool, query: { tool } } });
    expect(scopes(shop.upstream)).toEqual(['tool#create', 'tool#show']);
  });

  it('needs no call if it is not selected', async () => {
    await using shop = await openWorkshop();
    shop.actions.set(SUCCEEDED);
    await shop.ask('mutation { toolCreate(input: { name: "saw" }, wait: 5) { userErrors { code } } }');
    expect(scopes(shop.upstream)).toEqual(['tool#create']);
  });

  it('is the object in the response if the action is still running or the mutation did not wait', async () => {
    await using shop = await openWorkshop({ 'tool#show': () => refuse('locked', null, 423) });
    for (const wait of [0, 0.2]) {
      const { data, errors } = await shop.ask(
        'mutation ($wait: Float) { toolCreate(input: { name: "saw" }, wait: $wait) { tool { id name weight } } }',
        { variables: { wait } },
      );
      expect(errors).toEqual([]);
      expect(data).toEqual({ toolCreate: { tool: { id: 'tool/1', name: 'tool 1', weight: 7 } } });
    }
  });

  it('gives one error if it cannot be read, and keeps its ID unless the action failed', async () => {
    await using shop = await openWorkshop({ 'tool#show': () => refuse('broken', null, 500) });
    shop.actions.set(SUCCEEDED);
    const succeeded = await shop.ask(create('id name weight'));
    expect(succeeded.data).toMatchObject({
      toolCreate: { tool: { id: 'tool/1', name: null, weight: null } },
    });
    expect(succeeded.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    shop.actions.set(FAILED);
    const failed = await shop.ask(create('id name weight'));
    expect(failed.data).toEqual({ toolCreate: { tool: null, userErrors: [{ code: 'ACTION_FAILED' }] } });
    expect(failed.errors).toMatchObject([
      { path: ['toolCreate', 'tool'], extensions: { code: 'UPSTREAM_ERROR' } },
    ]);
  });

  it('is null after a failure, and taken from the response after a success, if the API has no show', async () => {
    await using shop = await openWorkshop();
    const order = 'mutation { orderCreate(wait: 5) { order { id goods } userErrors { code } } }';
    shop.actions.set(SUCCEEDED);
    expect(await shop.ask(order)).toMatchObject({
      errors: [],
      data: { orderCreate: { order: { id: 'order/4', goods: 'nails' }, userErrors: [] } },
    });
    shop.actions.set(FAILED);
    expect(await shop.ask(order)).toMatchObject({
      errors: [],
      data: { orderCreate: { order: null, userErrors: [{ code: 'ACTION_FAILED' }] } },
    });
  });

  it('is read again for each row if the write returns a list', async () => {
    await using shop = await openWorkshop({
      'tool.part#show': ({ path: [, id] }) =>
        id === '8' ? refuse('gone', null, 404) : ok({ part: { id: Number(id), name: 'handle' } }),
    });
    shop.actions.set(FAILED);
    const { data, errors } = await shop.ask(
      'mutation { toolPartPolishAll(tool: 5, wait: 5) { parts { id name } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolPartPolishAll: { parts: [null, { id: 'tool/5/part/9', name: 'handle' }] },
    });
  });

  it('is taken from the response if it has the type of the action', async () => {
    await using shop = await openWorkshop();
    shop.actions.set(FAILED);
    const { data, errors } = await shop.ask(
      'mutation { toolForge(id: 5, wait: 5) { result { degrees } userErrors { code } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolForge: { result: { degrees: 900 }, userErrors: [{ code: 'ACTION_FAILED' }] },
    });
    expect(scopes(shop.upstream)).toEqual(['tool#forge']);
  });
});

describe('a success without an object', () => {
  it.each([
    ['an empty object', ok({ tool: {} })],
    ['only metadata', ok({ _meta: {} })],
    ['null', ok({ tool: null })],
  ])('that returns %s is null with a warning', async (_name, answer) => {
    await using shop = await openWorkshop({ 'tool#create': () => answer });
    const { data, errors, extensions } = await shop.ask(
      'mutation { toolCreate(input: { name: "saw" }) { tool { id name } userErrors { code } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolCreate: { tool: null, userErrors: [] } });
    expect(extensions['warnings']).toEqual([
      { code: 'RESULT_MISSING', coordinate: 'ToolCreatePayload.tool', count: 1 },
    ]);
  });

  it('is null next to the outcome of its action', async () => {
    await using shop = await openWorkshop({
      'tool#create': () => ok({ tool: {}, _meta: { action_state_id: 500 } }),
    });
    shop.actions.set(SUCCEEDED);
    const { data, errors } = await shop.ask(
      'mutation { toolCreate(input: { name: "saw" }, wait: 5) { tool { id } actionState { outcome } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolCreate: { tool: null, actionState: { outcome: 'SUCCEEDED' } } });
  });

  it('gives no warning if the object is not selected', async () => {
    await using shop = await openWorkshop({ 'tool#create': () => ok({ tool: {} }) });
    const { extensions } = await shop.ask(
      'mutation { toolCreate(input: { name: "saw" }) { userErrors { code } } }',
    );
    expect(extensions['warnings']).toBeUndefined();
  });

  it('is read with show if the path or the metadata contains its IDs', async () => {
    await using shop = await openWorkshop({
      'tool#stamp': () => ok({ tool: {} }),
      'tool#create': () => ok({ tool: {}, _meta: { path_params: [3] } }),
    });
    const { data, errors, extensions } = await shop.ask(
      `mutation {
        toolStamp(id: 5) { tool { id name } secret }
        toolCreate(input: { name: "saw" }) { tool { id name } }
      }`,
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolStamp: { tool: { id: 'tool/5', name: 'tool 5' }, secret: null },
      toolCreate: { tool: { id: 'tool/3', name: 'tool 3' } },
    });
    expect(extensions['warnings']).toBeUndefined();
    expect(scopes(shop.upstream)).toEqual(['tool#stamp', 'tool#show', 'tool#create', 'tool#show']);
  });

  it('is null without an error if show does not find the object', async () => {
    await using shop = await openWorkshop({ 'tool#show': () => refuse('gone', null, 404) });
    expect(await shop.ask('mutation { toolUpdate(id: 5) { tool { name } } }')).toMatchObject({
      errors: [],
      data: { toolUpdate: { tool: null } },
    });
  });

  it('is null with a warning if the result has the type of the action or is a list', async () => {
    await using shop = await openWorkshop({
      'tool#weigh': () => ok({ tool: {} }),
      'tool.part#polish_all': () => ok({}),
    });
    const { data, errors, extensions } = await shop.ask(
      'mutation { toolWeigh(id: 5) { result { grams } } toolPartPolishAll(tool: 5) { parts { id } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolWeigh: { result: null }, toolPartPolishAll: { parts: null } });
    expect(extensions['warnings']).toMatchObject([
      { code: 'RESULT_MISSING', coordinate: 'ToolWeighPayload.result' },
      { code: 'RESULT_MISSING', coordinate: 'ToolPartPolishAllPayload.parts' },
    ]);
  });
});

describe('cancelling an unknown action', () => {
  const CANCEL = 'mutation { actionStateCancel(id: 501) { target { id } userErrors { code } } }';

  it.each([
    ['404', refuse('no such state', null, 404)],
    ['a rejection without a reason', refuse('Action state not found')],
  ])('gives NOT_FOUND after %s', async (_name, answer) => {
    await using shop = await openWorkshop({ 'action_state#cancel': () => answer });
    const { data, errors } = await shop.ask(CANCEL);
    expect(data).toEqual({ actionStateCancel: null });
    expect(errors).toMatchObject([{ path: ['actionStateCancel'], extensions: { code: 'NOT_FOUND' } }]);
  });

  it('gives NOT_CANCELLABLE if it is unknown whether the action exists', async () => {
    await using shop = await openWorkshop({
      'action_state#cancel': () => refuse('no'),
      'action_state#show': () => refuse('broken', null, 500),
    });
    expect(await shop.ask(CANCEL)).toMatchObject({
      errors: [],
      data: { actionStateCancel: { target: null, userErrors: [{ code: 'NOT_CANCELLABLE' }] } },
    });
    expect(shop.upstream.calls.map(({ scope }) => scope)).toEqual([
      'action_state#cancel',
      'action_state#show',
    ]);
  });
});
