// Tests refusals of a gateway in front of the API, which have a status and no envelope.
import { describe, expect, it } from 'vitest';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { errorCodes, SUBSCRIBERS } from '../../helpers/streams.ts';
import { raw, refuse } from '../../helpers/stub-upstream.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';

const telemetry = openTelemetry();
const shop = shareWorkshop({}, { ...telemetry.options, transport: { retry: { retries: 0 } } });

const TOUCH = 'mutation { toolStamp(id: 5) { userErrors { code } } }';
const BODIES = [
  ['an empty body', ''],
  ['HTML', '<html><body>refused</body></html>'],
] as const;
const STATUSES = [
  [401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN', 'FORBIDDEN'],
  [404, 'NOT_FOUND', 'NOT_FOUND'],
  [405, 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
  [411, 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
  [413, 'UPSTREAM_ERROR', 'REFUSED'],
  [415, 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
  [421, 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
  [429, 'UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'],
] as const;

describe.each(BODIES)('a refusal by a gateway with %s', (_name, body) => {
  it.each(STATUSES)('has the code of its status: %i', async (status, ofRead, ofWrite) => {
    const answer = () => raw(body, status);
    shop.answer({ 'tool#show': answer, 'tool#stamp': answer });
    const read = await shop.ask('{ tool(id: 5) { name } }');
    expect(read.errors.map(({ extensions }) => extensions['code'])).toEqual([ofRead]);
    const write = await shop.ask<{ toolStamp: { userErrors: readonly { code: string }[] } | null }>(TOUCH);
    const codes = [
      ...write.errors.map(({ extensions }) => extensions['code']),
      ...(write.data?.toolStamp?.userErrors ?? []).map(({ code }) => code),
    ];
    expect(codes).toEqual([ofWrite]);
    expect(shop.upstream.calls.filter(({ scope }) => scope === 'tool#stamp')).toHaveLength(1);
    expect(telemetry.lines('invalid_response')).toEqual([]);
  });
});

describe('a write whose gateway fails', () => {
  it.each([500, 502, 504])('has an unknown outcome: %i', async (status) => {
    shop.answer({ 'tool#stamp': () => raw('', status) });
    const { errors } = await shop.ask(TOUCH);
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['OUTCOME_UNKNOWN']);
  });
});

describe('401 of a gateway for an ended credential', () => {
  const end = () => {
    const { onOptions } = shop.upstream;
    shop.upstream.onOptions = (headers, url) =>
      url.search.startsWith('?method=') ? refuse('who?', null, 401) : onOptions(headers, url);
    const scopes = ['tool#show', 'action_state#show', 'action_state#poll', 'action_state#index'];
    shop.answer(Object.fromEntries(scopes.map((scope) => [scope, () => raw('', 401)])));
  };

  it('is confirmed by OPTIONS before the next operation', async () => {
    await shop.ask('{ tool(id: 5) { name } }');
    end();
    expect((await shop.ask('{ tool(id: 5) { name } }')).status).toBe(401);
    const { calls } = shop.upstream;
    const count = calls.length;
    expect((await shop.ask('{ tool(id: 5) { name } }')).status).toBe(401);
    expect(calls).toHaveLength(count);
  });

  it.each(SUBSCRIBERS)('ends a subscription over %s', async (_name, subscribe) => {
    const query = 'subscription { actionProgress(id: 500, minInterval: 0.1) { current } }';
    await using stream = subscribe(shop.url, query, { 'x-library-token': 'one' });
    expect(await stream.next()).toMatchObject({ actionProgress: {} });
    end();
    shop.actions.set({ id: 500, current: 7 });
    expect(await errorCodes(stream.rest())).toEqual(['UNAUTHENTICATED']);
  });
});

describe('a byte order mark', () => {
  it('is skipped before an envelope', async () => {
    const envelope = JSON.stringify({ status: true, response: { tool: { id: 5, name: 'saw' } } });
    shop.answer({ 'tool#show': () => raw(`\ufeff${envelope}`, 200, 'application/json') });
    expect((await shop.ask('{ tool(id: 5) { name } }')).data).toEqual({ tool: { name: 'saw' } });
  });

  it('is skipped before a description', async () => {
    const { onOptions } = shop.upstream;
    shop.upstream.onOptions = (headers, url) => (response) => {
      const { end } = response;
      response.end = ((text: string) => end.call(response, `\ufeff${text}`, 'utf8')) as typeof end;
      onOptions(headers, url)(response);
    };
    expect((await shop.ask('{ tool(id: 5) { name } }', { token: 'new' })).errors).toEqual([]);
  });
});
