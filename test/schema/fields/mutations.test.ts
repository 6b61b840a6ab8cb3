// Tests inputs, payloads, rejections and waiting of mutations.

import { describe, expect, it } from 'vitest';
import { ok, refuse, reply } from '../../helpers/stub-upstream.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const CREATE = `mutation ($input: ToolCreateInput!) {
  toolCreate(input: $input) { tool { id name } userErrors { code message path parameter } }
}`;

describe('the input of a write', () => {
  it('preserves the difference between omitted and null values', async () => {
    await using shop = await openWorkshop();
    for (const input of [
      { name: 'saw' },
      { name: 'saw', weight: null },
      { name: 'saw', weight: 3, owner: 'smith/3' },
    ]) {
      const { errors } = await shop.ask(CREATE, { variables: { input } });
      expect(errors).toEqual([]);
    }
    // The server applies the described default of weight.
    expect(shop.upstream.calls.map(({ body }) => body)).toEqual([
      { tool: { name: 'saw' } },
      { tool: { name: 'saw', weight: null } },
      { tool: { name: 'saw', weight: 3, owner: 3 } },
    ]);
  });

  it('may be omitted if none of its fields is required', async () => {
    await using shop = await openWorkshop();
    const { data, errors } = await shop.ask(
      'mutation { toolUpdate(id: 5) { tool { id } userErrors { code } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ toolUpdate: { tool: { id: 'tool/5' }, userErrors: [] } });
    expect(shop.upstream.calls.map(({ body }) => body)).toEqual([{ tool: {} }]);
  });

  it('that breaks described rules gives user errors for all rules, without a call', async () => {
    await using shop = await openWorkshop();
    const { data, errors } = await shop.ask(CREATE, { variables: { input: { name: 'x', weight: 0 } } });
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolCreate: {
        tool: null,
        userErrors: [
          {
            code: 'TOO_SHORT',
            message: 'length must be at least 2',
            path: ['input', 'name'],
            parameter: 'name',
          },
          {
            code: 'TOO_SMALL',
            message: 'must be at least 1',
            path: ['input', 'weight'],
            parameter: 'weight',
          },
        ],
      },
    });
    expect(shop.upstream.calls).toEqual([]);
  });

  it('accepts IDs in both forms for the object and for its parent', async () => {
    await using shop = await openWorkshop();
    const { errors, data } = await shop.ask(`mutation {
      a: toolPartCreate(tool: "tool/5", input: { name: "x" }) { part { id } }
      b: toolPartCreate(tool: 5) { part { id name } }
      c: toolPartPolish(id: "tool/5/part/9") { part { id } }
      d: toolPartPolish(id: "5/9") { part { name } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ a: { part: { id: 'tool/5/part/9' } }, d: { part: { name: 'handle' } } });
    expect(
      shop.upstream.calls
        .filter(({ scope }) => scope.startsWith('tool.part') && !scope.endsWith('show'))
        .map(({ path }) => path),
    ).toEqual([['5'], ['5'], ['5', '9'], ['5', '9']]);
    const foreign = await shop.ask('mutation { toolTouch(id: "smith/3") { userErrors { code } } }');
    expect(foreign.errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  });
});

describe('a payload', () => {
  it('fetches the object again only if more than its ID is selected', async () => {
    await using shop = await openWorkshop();
    await shop.ask('mutation { toolUpdate(id: 5, input: { weight: 3 }) { tool { id } } }');
    expect(shop.upstream.calls.map(({ scope }) => scope)).toEqual(['tool#update']);
    const { data } = await shop.ask(
      'mutation { toolUpdate(id: 5, input: { weight: 3 }) { tool { name owner { label } } } }',
    );
    expect(data).toEqual({ toolUpdate: { tool: { name: 'tool 5', owner: { label: 'Jan' } } } });
    expect(shop.upstream.calls.slice(1).map(({ scope }) => scope)).toEqual(['tool#update', 'tool#show']);
  });

  it('contains the ID of a deleted object but not the object', async () => {
    await using shop = await openWorkshop();
    const { data } = await shop.ask(
      'mutation { toolDelete(id: 5) { deletedId userErrors { code } actionState { id } } }',
    );
    expect(data).toEqual({
      toolDelete: { deletedId: 'tool/5', userErrors: [], actionState: { id: 'action_state/500' } },
    });
    expect(shop.upstream.calls).toHaveLength(1);
  });

  it('contains additional output next to the object or in a type of its own', async () => {
    await using shop = await openWorkshop();
    const { data, errors } = await shop.ask(
      'mutation { toolStamp(id: 5) { tool { id name } secret } toolWeigh(id: 5) { result { grams __typename } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolStamp: { tool: { id: 'tool/5', name: 'tool 5' }, secret: 'shown once' },
      toolWeigh: { result: { grams: 700, __typename: 'ToolWeighResult' } },
    });
  });

  it('reads through `query` with new loaders after each write, in sequence', async () => {
    await using shop = await openWorkshop();
    const { data, errors } = await shop.ask(`mutation {
      first: toolTouch(id: 5) { query { tool(id: 5) { weight } } }
      toolSharpen(id: 5) { query { tool(id: 5) { weight } } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      first: { query: { tool: { weight: 7 } } },
      toolSharpen: { query: { tool: { weight: 6 } } },
    });
    expect(shop.upstream.calls.map(({ scope }) => scope)).toEqual([
      'tool#touch',
      'tool#show',
      'tool#sharpen',
      'tool#show',
    ]);
  });

  it('has no action state if the call did not block', async () => {
    await using shop = await openWorkshop({ 'tool#sharpen': () => ok({ _meta: { action_state_id: null } }) });
    const { data } = await shop.ask(
      'mutation { toolSharpen(id: 5, wait: 5) { actionState { id } userErrors { code } } }',
    );
    expect(data).toEqual({ toolSharpen: { actionState: null, userErrors: [] } });
  });
});

describe('a write that the API does not carry out', () => {
  it.each([
    ['a locked object', refuse('tool is locked', null, 423), 'RESOURCE_LOCKED'],
    ['a conflict', refuse('there is one', null, 409), 'CONFLICT'],
    ['an input with an unknown name', refuse('not valid', { owner_id: ['is odd'] }, 400), 'INVALID'],
    ['a rejection without a reason', refuse(null), 'REFUSED'],
  ])('because of %s gives user errors', async (_name, answer, code) => {
    await using shop = await openWorkshop({ 'tool#create': () => answer });
    const { data, errors } = await shop.ask(CREATE, { variables: { input: { name: 'saw' } } });
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ toolCreate: { tool: null, userErrors: [{ code, path: null }] } });
  });

  it.each([
    ['wrong credentials', 401, 'UNAUTHENTICATED'],
    ['missing rights', 403, 'FORBIDDEN'],
    ['a missing object', 404, 'NOT_FOUND'],
    ['a server fault', 500, 'UPSTREAM_ERROR'],
    ['unavailability', 503, 'UPSTREAM_UNAVAILABLE'],
  ])('because of %s gives a GraphQL error', async (_name, status, code) => {
    await using shop = await openWorkshop({
      'tool#touch': () => reply({ status: false, response: null, message: 'no' }, status),
    });
    const { data, errors } = await shop.ask(
      'mutation { toolTouch(id: 5) { userErrors { code } } toolWeigh(id: 5) { result { grams } } }',
    );
    expect(data).toEqual({ toolTouch: null, toolWeigh: { result: { grams: 700 } } });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual([code]);
  });
});

describe('waiting for a blocking action', () => {
  it('returns the object as it is after the action', async () => {
    await using shop = await openWorkshop();
    const answer = shop.ask(
      'mutation { toolSharpen(id: 5, wait: 20) { tool { weight } actionState { outcome progress } userErrors { code } } }',
    );
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 10, finished: true });
    expect(await answer).toMatchObject({
      errors: [],
      data: {
        toolSharpen: {
          tool: { weight: 6 },
          actionState: { outcome: 'SUCCEEDED', progress: 1 },
          userErrors: [],
        },
      },
    });
    expect(shop.actions.openPolls).toBe(0);
  });

  it('returns the latest state when the time is over', async () => {
    await using shop = await openWorkshop();
    shop.actions.set({ id: 500, current: 4 });
    const { data, errors } = await shop.ask(
      'mutation { toolSharpen(id: 5, wait: 0.2) { actionState { outcome progress } userErrors { code } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolSharpen: { actionState: { outcome: 'RUNNING', progress: 0.4 }, userErrors: [] },
    });
  });

  it('returns a failed action as a user error', async () => {
    await using shop = await openWorkshop();
    shop.actions.set({ id: 500, current: 3, finished: true, status: false });
    const { data, errors } = await shop.ask(
      'mutation { toolDelete(id: 5, wait: 5) { deletedId actionState { outcome progress } userErrors { code } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolDelete: {
        deletedId: null,
        actionState: { outcome: 'FAILED', progress: 0.3 },
        userErrors: [{ code: 'ACTION_FAILED' }],
      },
    });
  });

  it.each([-1, 1e9, 55.5])('for %d seconds is rejected before the write', async (wait) => {
    await using shop = await openWorkshop();
    const { errors } = await shop.ask(
      'mutation ($wait: Float) { toolSharpen(id: 5, wait: $wait) { userErrors { code } } }',
      { variables: { wait } },
    );
    expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(shop.upstream.calls).toEqual([]);
  });

  it('still returns the payload if watching the action fails', async () => {
    await using shop = await openWorkshop({ 'action_state#poll': () => refuse('gone', null, 404) });
    const { data, errors } = await shop.ask(
      'mutation { toolSharpen(id: 5, wait: 5) { tool { id } actionState { id } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolSharpen: { tool: { id: 'tool/5' }, actionState: { id: 'action_state/500' } },
    });
  });
});

describe('cancelling', () => {
  const CANCEL =
    'mutation { actionStateCancel(id: 500) { target { outcome label } actionState { id } userErrors { code message } } }';

  it('returns the cancelled action as `target`, and an action state if it blocks', async () => {
    await using shop = await openWorkshop({
      'action_state#cancel': () => ok({ _meta: { action_state_id: null } }),
    });
    const { data, errors } = await shop.ask(CANCEL);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      actionStateCancel: {
        target: { outcome: 'RUNNING', label: 'action 500' },
        actionState: null,
        userErrors: [],
      },
    });
  });

  it('works if the overrides rename the type of action states', async () => {
    await using shop = await openWorkshop(
      { 'action_state#cancel': () => refuse('too late') },
      { overrides: { names: { ActionState: 'Errand' } } },
    );
    const { data } = await shop.ask(
      'mutation { errandCancel(id: 500) { target { id } userErrors { code message } } }',
    );
    expect(data).toMatchObject({
      errandCancel: { target: null, userErrors: [{ code: 'NOT_CANCELLABLE', message: 'too late' }] },
    });
  });
});
