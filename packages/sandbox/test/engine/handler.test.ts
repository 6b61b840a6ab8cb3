// Tests the handler with resources that the tests define.
import { describe, expect, test } from 'vitest';
import { createActionStates } from '../../src/actions/running-actions.ts';
import { createAuthentication } from '../../src/auth/sandbox-authentication.ts';
import { bindApi } from '../../src/engine/api.ts';
import type { ResourceDefinition } from '../../src/engine/definition.ts';
import { createHandler } from '../../src/engine/handler.ts';
import { createStore } from '../../src/engine/store.ts';

const users = [
  { id: 1, login: 'admin', level: 99 },
  { id: 2, login: 'user', level: 2 },
];

function createTestHandler(resource: ResourceDefinition) {
  const store = createStore({ users });
  const api = bindApi('7.0', { thing: resource }, {}, { includes: true, count: true });
  const states = createActionStates(store, { step: 0, expiry: 0, cancelBlocks: false, now: Date.now });
  return createHandler([api], store, createAuthentication(store, [], Date.now), states);
}

const get = (target: string) => ({ method: 'GET', target, headers: {}, body: '' });

describe('a handler', () => {
  test('answers an unexpected error with an envelope and status 500', async () => {
    const handle = createTestHandler({
      auth: false,
      output: {},
      actions: {
        break: {
          execute() {
            throw new Error('secret detail');
          },
        },
      },
    });
    const { status, body, scope } = await handle(get('/v7.0/things'));
    expect([status, scope]).toEqual([500, 'thing#break']);
    expect(JSON.parse(body)).toEqual({
      status: false,
      response: null,
      message: 'A server error occurred',
      errors: null,
    });
  });

  test('waits for asynchronous actions', async () => {
    const handle = createTestHandler({
      auth: false,
      output: { name: { type: 'String' } },
      actions: { show: { execute: async () => ({ ok: true, items: [{ name: 'late', other: 1 }] }) } },
    });
    const { body } = await handle(get('/v7.0/things'));
    expect(JSON.parse(body).response).toEqual({ thing: { name: 'late' }, _meta: {} });
  });

  test('throws when a definition refers to an unknown resource or table', async () => {
    const api = bindApi('7.0', {}, {}, { includes: true, count: true });
    expect(() => api.getResource(['nothing'])).toThrow('expected the path of a resource, got nothing');
    expect(() => createStore({ users }).rows('nothing')).toThrow(
      'expected one of the tables users, got nothing',
    );
  });
});
