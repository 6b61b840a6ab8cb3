// Tests that the log tells what happened to those who do not know the code.
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SUBSCRIBERS } from '../../helpers/streams.ts';
import { hangUp, ok, raw, refuse, type StubCall } from '../../helpers/stub-upstream.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';
import { post } from '../../helpers/transports.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const TOOL = 'query Tool { tool(id: 5) { name } }';
const token = { 'x-library-token': 'one' };

afterEach(() => void vi.useRealTimers());

describe('the log has a line', () => {
  it('for each operation, whose request id is the one in its response', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    const { url } = await shop.listen();
    const response = await post(url, { query: TOOL }, token);
    await response.text();
    expect(telemetry.lines('operation')).toEqual([
      {
        level: 'info',
        msg: 'operation',
        requestId: response.headers.get('x-request-id'),
        transport: 'http',
        address: '127.0.0.1',
        caller: 'token',
        callerKey: expect.stringMatching(/^.{12}$/),
        type: 'query',
        operation: 'Tool',
        hash: expect.stringMatching(/^[\da-f]{64}$/),
        outcome: 'ok',
        status: 200,
        codes: [],
        duration: expect.any(Number),
        calls: 1,
        upstreamTime: expect.any(Number),
        coalesced: 0,
        cost: expect.any(Number),
      },
    ]);
  });

  it.each(SUBSCRIBERS)(
    'for a subscription over %s at its end, or when its client leaves',
    async (name, subscribe) => {
      const telemetry = openTelemetry();
      await using shop = await openWorkshop({}, telemetry.options);
      const { url } = await shop.listen();
      const query = 'subscription Watch { actionProgress(id: 500) { current } }';
      await using left = subscribe(url, query, token);
      await left.next();
      expect(telemetry.lines('operation')).toEqual([]);
      await left.leave();
      const lines = () => telemetry.lines('operation');
      const line = { transport: name.toLowerCase(), type: 'subscription' };
      await expect.poll(lines, { timeout: 10_000 }).toMatchObject([{ ...line, outcome: 'left' }]);
      shop.actions.set({ id: 500, finished: true });
      await using read = subscribe(url, query, token);
      await read.rest();
      await expect
        .poll(lines, { timeout: 10_000 })
        .toMatchObject([{ outcome: 'left' }, { ...line, outcome: 'ok' }]);
    },
  );

  it('for a mutation that waits for an action, a warning only if the rest of it is slow', async () => {
    const telemetry = openTelemetry(500);
    await using shop = await openWorkshop({}, telemetry.options);
    await shop.ask(TOOL);
    const sharpen = () => shop.ask('mutation { toolSharpen(id: 5, wait: 0.6) { actionState { outcome } } }');
    await sharpen();
    const answer = shop.upstream.handlers.get('tool#sharpen') ?? expect.fail();
    const answerLate = (call: StubCall) => async (response: ServerResponse) => {
      await pause(600);
      answer(call)(response);
    };
    shop.upstream.handlers.set('tool#sharpen', (call) => (response) => void answerLate(call)(response));
    await sharpen();
    expect(telemetry.lines('operation').slice(1)).toMatchObject([
      { msg: 'operation', type: 'mutation' },
      { msg: 'slow operation', type: 'mutation' },
    ]);
  });

  it('for a slow operation, a warning with its slowest calls', async () => {
    const telemetry = openTelemetry(0);
    await using shop = await openWorkshop({}, telemetry.options);
    await shop.ask(TOOL);
    await shop.ask(TOOL);
    const show = { action: 'tool#show', path: '/tools/{tool_id}', status: 200 };
    const lines = telemetry.lines('operation');
    expect(lines).toMatchObject([{ slowestCalls: [show] }, { slowestCalls: [show] }]);
    expect(lines[0]).toMatchObject({ level: 'warn', msg: 'slow operation' });
  });

  it('for each call that fails, and for the operation with the same request id', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop(
      { 'tool#show': () => hangUp },
      { ...telemetry.options, transport: { retry: { retries: 1, delay: 1 } } },
    );
    await shop.ask(TOOL);
    const [operation] = telemetry.lines('operation');
    expect(operation).toMatchObject({ outcome: 'failed', codes: ['UPSTREAM_UNAVAILABLE'] });
    const failure = {
      level: 'warn',
      msg: 'a call of the management API failed',
      requestId: operation?.['requestId'],
      action: 'tool#show',
      method: 'GET',
      template: '/tools/{tool_id}',
      status: null,
      code: 'UNREACHABLE',
      cause: 'UND_ERR_SOCKET',
      duration: expect.any(Number),
    };
    expect(telemetry.lines('upstream_failure')).toEqual([failure, failure]);
  });

  it('for a response that cannot be used, but none for a refusal', async () => {
    const telemetry = openTelemetry();
    const answers = { 'tool#show': () => raw('<html>'), 'job#show': () => refuse('no') };
    await using shop = await openWorkshop(answers, telemetry.options);
    await shop.ask('{ tool(id: 5) { name } job(id: 1) { label } }');
    expect(telemetry.lines('upstream_failure')).toEqual([]);
    expect(telemetry.lines('invalid_response')).toEqual([
      {
        level: 'warn',
        msg: 'the management API sent an invalid response',
        requestId: telemetry.lines('operation')[0]?.['requestId'],
        action: 'tool#show',
        template: '/tools/{tool_id}',
        status: 200,
        problem: expect.stringContaining('JSON was expected'),
      },
    ]);
  });

  it('when the management API goes down, and when it is back, as the metrics show', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const openBreakers = async () => (await telemetry.values())['optiongraph_upstream_breakers_open'];
    const telemetry = openTelemetry();
    const options = { ...telemetry.options, transport: { retry: { retries: 0 } } };
    await using shop = await openWorkshop({ 'tool#show': () => hangUp }, options);
    for (let i = 0; i < 21; i += 1) await shop.ask(TOOL);
    expect(telemetry.lines('breaker')).toMatchObject([{ level: 'warn', state: 'open' }]);
    expect(telemetry.lines('upstream_failure')).toHaveLength(20);
    expect(await openBreakers()).toBe(1);
    shop.upstream.handlers.set('tool#show', () => ok({ tool: { id: 5, name: 'saw', weight: 1 } }));
    vi.setSystemTime(Date.now() + 5_000);
    expect((await shop.ask(TOOL)).errors).toEqual([]);
    expect(telemetry.lines('breaker')).toMatchObject([{ state: 'open' }, { state: 'closed' }]);
    expect(await openBreakers()).toBe(0);
  });

  it('for the first hit of a limit, and not for each', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, { ...telemetry.options, limits: { documentSize: 10 } });
    for (let i = 0; i < 5; i += 1) await shop.ask(TOOL);
    expect(telemetry.lines('limit')).toEqual([
      { level: 'warn', msg: 'a limit was hit', limit: 'DOCUMENT', address: null, hits: 1, total: 1 },
    ]);
    expect(telemetry.lines('operation')).toHaveLength(5);
  });

  it('for a description that cannot be served, and for one that replaces another', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    expect(telemetry.lines('assembly')).toMatchObject([{ msg: 'a schema was assembled' }]);
    shop.upstream.onOptions = () => ok({ resources: 5 });
    await shop.facade.refresh();
    expect(telemetry.lines('assembly').at(-1)).toMatchObject({
      level: 'warn',
      msg: 'a schema could not be assembled',
      problem: expect.any(String),
    });
  });

  it('for each phase of the shutdown', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    await (await shop.listen()).close();
    const phases = telemetry.lines('shutdown').map(({ phase }) => phase);
    expect(phases).toEqual(['begun', 'operations ended', 'connections closed', 'done']);
  });
});
