// Tests calls that the API refuses with an HTTP status for errors of the client, and an envelope.

import { describe, expect, it } from 'vitest';
import { action, list, refersTo, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { startPair } from '../../helpers/facade.ts';
import { ok, refuse } from '../../helpers/stub-upstream.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const QUOTA = 'Resource allocation error: you only have 835 GB of Memory left';
const TOUCH = 'mutation { toolTouch(id: 5) { userErrors { code message path parameter } } }';

describe('a write that the API refuses with a status from 400 to 499 and an envelope', () => {
  it.each([400, 402, 412, 413, 422])('has its message in a user error: %i', async (status) => {
    await using shop = await openWorkshop({ 'tool#touch': () => refuse(QUOTA, null, status) });
    const { data, errors } = await shop.ask(TOUCH);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolTouch: { userErrors: [{ code: 'REFUSED', message: QUOTA, path: null, parameter: null }] },
    });
    expect(shop.upstream.calls).toHaveLength(1);
  });

  it.each([200, 400, 422])('has user errors of its inputs where the API names them: %i', async (status) => {
    const refused = refuse('input parameters are not valid', { name: ['is taken'] }, status);
    await using shop = await openWorkshop({ 'tool#create': () => refused });
    const { data, errors } = await shop.ask(
      'mutation { toolCreate(input: { name: "saw" }) { userErrors { code message path parameter } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolCreate: {
        userErrors: [{ code: 'INVALID', message: 'is taken', path: ['input', 'name'], parameter: 'name' }],
      },
    });
  });

  it.each([
    ['does not know the object any more', 410, 'NOT_FOUND', false],
    ['does not have the method', 405, 'UPSTREAM_ERROR', false],
    ['does not have the format of the response', 406, 'UPSTREAM_ERROR', false],
    ['did not receive the request in time', 408, 'UPSTREAM_ERROR', false],
    ['does not read the format of the request', 415, 'UPSTREAM_ERROR', false],
    ['has had too many requests', 429, 'UPSTREAM_UNAVAILABLE', true],
  ])('is an error where the API %s', async (_name, status, code, retryable) => {
    await using shop = await openWorkshop({ 'tool#touch': () => refuse('no', null, status) });
    const { errors } = await shop.ask(TOUCH);
    expect(errors).toMatchObject([
      { message: 'no', extensions: { code, retryable, upstream: { action: 'tool#touch', status } } },
    ]);
    expect(shop.upstream.calls).toHaveLength(1);
  });

  it('is no failure of the API in the circuit breaker, the health or the log', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop(
      { 'tool#touch': () => refuse(QUOTA, null, 400) },
      telemetry.options,
    );
    for (let count = 0; count < 25; count += 1) await shop.ask(TOUCH);
    expect(shop.upstream.calls).toHaveLength(25);
    expect(shop.facade.health).toMatchObject({
      upstream: { isAnswering: true, breaker: 'closed', lastFailure: null },
    });
    expect(telemetry.lines('upstream_failure')).toEqual([]);
    expect(telemetry.lines('breaker')).toEqual([]);
  });
});

describe('a read that the API refuses with 200, 400 or 422 and an envelope', () => {
  const described = {
    shelf: resource({
      index: list('shelf', 'shelves', { id: 'Integer' }, { input: { room: 'String', limit: 'Integer' } }),
      show: action({ path: '/shelves/{shelf_id}', namespace: 'shelf', output: { id: 'Integer' } }),
      measure: action({ path: '/measure', input: { unit: 'String' }, output: { width: 'Integer' } }),
    }),
    book: resource({
      index: list(
        'book',
        'books',
        { id: 'Integer', shelf: refersTo(['shelf']) },
        { input: { shelf: refersTo(['shelf']), limit: 'Integer' } },
      ),
    }),
  };
  const open = (status: number) => {
    const refused = () => refuse('no such room', null, status);
    return openDescribed(described, {
      'shelf#index': refused,
      'shelf#measure': refused,
      'book#index': refused,
      'shelf#show': () => ok({ shelf: { id: 1 } }),
    });
  };
  const userErrors = [{ code: 'REFUSED', message: 'no such room', path: null, parameter: null }];

  it.each([
    ['a filter', '{ field: shelves(filter: { room: "x" }) { nodes { id } } }', 400],
    ['a filter', '{ field: shelves(filter: { room: "x" }) { nodes { id } } }', 422],
    ['an argument', '{ field: shelfMeasure(unit: "ell") { width } }', 400],
    ['a filter', '{ field: shelves(filter: { room: "x" }) { nodes { id } } }', 200],
    ['an argument', '{ field: shelfMeasure(unit: "ell") { width } }', 200],
  ])('is an error of the input where the client has given %s: %s (%i)', async (_name, query, status) => {
    await using api = await open(status);
    const { data, errors } = await api.ask(query);
    expect(data).toEqual({ field: null });
    expect(errors).toMatchObject([
      {
        message: 'no such room',
        path: ['field'],
        extensions: { code: 'BAD_USER_INPUT', retryable: false, userErrors },
      },
    ]);
  });

  it.each([
    ['no filter', '{ shelves(first: 5) { nodes { id } } }', 400],
    ['no argument', '{ shelfMeasure { width } }', 400],
    ['no filter but the one of an edge', '{ shelf(id: 1) { books { nodes { id } } } }', 400],
    ['a filter, with a status of no input', '{ shelves(filter: { room: "x" }) { nodes { id } } }', 409],
  ])('is an error of the API where the client has given %s', async (_name, query, status) => {
    await using api = await open(status);
    const { errors } = await api.ask(query);
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['UPSTREAM_ERROR']);
    expect(errors[0]?.extensions).not.toHaveProperty('userErrors');
  });
});

describe('the sandbox', () => {
  it('refuses what exceeds a quota, with what is left', async () => {
    await using pair = await startPair({ sandbox: { step: 0 } });
    const { data, errors } = await pair.ask(
      `mutation {
        datasetUpdate(id: 12, input: { refquota: 999999999 }) {
          dataset { id }
          userErrors { code message path parameter }
        }
      }`,
      { login: 'user' },
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      datasetUpdate: {
        dataset: null,
        userErrors: [
          {
            code: 'REFUSED',
            message: expect.stringMatching(
              /^Resource allocation error: you only have \d+ MiB of diskspace left$/,
            ),
            path: null,
            parameter: null,
          },
        ],
      },
    });
  });
});
