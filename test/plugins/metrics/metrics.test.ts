// Tests the metrics that Prometheus reads.
import { describe, expect, it } from 'vitest';
import { openMetricsServer } from '../../../src/plugins/metrics/metrics.ts';
import { ask } from '../../helpers/facade.ts';
import { overWebSocket } from '../../helpers/streams.ts';
import { hangUp } from '../../helpers/stub-upstream.ts';
import { openTelemetry, readMetrics } from '../../helpers/telemetry.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const token = { 'x-library-token': 'one' };
const CLOSED = { optiongraph_subscriptions: 0, optiongraph_sockets: 0 };
const TOOL = 'query Tool { tool(id: 5) { name } }';

describe('the metrics', () => {
  it('count operations by name, type, transport and outcome, and their error codes', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    await shop.ask(TOOL);
    await shop.ask(TOOL);
    await shop.ask('{ nothing }');
    await shop.ask('{');
    const values = await telemetry.values();
    const count = (operation: string, type: string, outcome: string) =>
      values[
        `optiongraph_operation_duration_seconds_count{operation="${operation}",type="${type}",transport="http",outcome="${outcome}"}`
      ];
    expect(count('Tool', 'query', 'ok')).toBe(2);
    expect(count('unnamed', 'query', 'failed')).toBe(1);
    expect(count('invalid', 'unknown', 'failed')).toBe(1);
    expect(values['optiongraph_operation_errors_total{code="BAD_USER_INPUT"}']).toBe(2);
  });

  it('have the rare series of alerts from the start, because Prometheus sees no increase in a series that begins with 1', async () => {
    const values = await openTelemetry().values();
    expect(values).toMatchObject({
      'optiongraph_operation_errors_total{code="INTERNAL"}': 0,
      'optiongraph_operation_errors_total{code="OUTCOME_UNKNOWN"}': 0,
      'optiongraph_schema_assembly_duration_seconds_count{result="failed"}': 0,
    });
  });

  it('tell a bounded number of names apart, and none that only anonymous or failing operations have', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    // First, while there is room for more names.
    await shop.ask('query Failing { nothing }');
    await ask(shop.facade, 'query Anonymous { __typename }');
    for (let i = 0; i < 60; i += 1) await shop.ask(`query Name${i} { __typename }`);
    const names = new Set(
      Object.keys(await telemetry.values()).flatMap((series) => /operation="(\w+)"/.exec(series)?.[1] ?? []),
    );
    expect(names.size).toBe(51);
    expect(names).toContain('other');
    expect(names).not.toContain('Failing');
    expect(names).not.toContain('Anonymous');
  });

  it('count upstream calls by action and status, batches and coalesced reads', async () => {
    const telemetry = openTelemetry();
    const options = { ...telemetry.options, transport: { retry: { retries: 0 } } };
    await using shop = await openWorkshop({ 'job#show': () => hangUp }, options);
    await shop.ask('{ a: tool(id: 5) { name } b: tool(id: 6) { name } job(id: 1) { label } }');
    const values = await telemetry.values();
    expect(values).toMatchObject({
      'optiongraph_upstream_calls_total{action="tool#show",status="200"}': 2,
      'optiongraph_upstream_calls_total{action="job#show",status="UNREACHABLE"}': 1,
      'optiongraph_upstream_call_duration_seconds_count{action="tool#show"}': 2,
      optiongraph_upstream_calls_in_progress: 0,
      optiongraph_batches_total: 2,
      optiongraph_batched_objects_total: 3,
    });
    expect(values['optiongraph_upstream_calls_total{action="OPTIONS",status="200"}']).toBeGreaterThan(0);
  });

  it('show subscriptions, WebSockets and pollers while they are open', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, 'subscription { actionProgress(id: 500) { current } }', token);
    await stream.next();
    expect(await telemetry.values()).toMatchObject({
      optiongraph_subscriptions: 1,
      optiongraph_sockets: 1,
      'optiongraph_pollers{poller="action"}': 1,
    });
    await stream.leave();
    await expect
      .poll(() => telemetry.values(), { timeout: 10_000 })
      .toMatchObject({ ...CLOSED, 'optiongraph_pollers{poller="action"}': 0 });
  });

  it('count the calls that wait, and for how long', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, { ...telemetry.options, transport: { connections: 1 } });
    await shop.ask('{ a: tool(id: 5) { name } b: tool(id: 6) { name } c: tool(id: 7) { name } }');
    const { optiongraph_queue_wait_seconds_count: waits, optiongraph_queued_calls: queued } =
      await telemetry.values();
    expect([waits, queued]).toEqual([2, 0]);
  });

  it('count limits, assemblies, and the process', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, { ...telemetry.options, limits: { documentSize: 10 } });
    await shop.ask(TOOL);
    const values = await telemetry.values();
    expect(values['optiongraph_limit_hits_total{limit="DOCUMENT"}']).toBe(1);
    expect(values['optiongraph_schema_assembly_duration_seconds_count{result="served"}']).toBeGreaterThan(0);
    expect(values['optiongraph_info{version="1.2.3"}']).toBe(1);
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes'])
      expect(values).toHaveProperty(name);
  });
});

it('are served at a port of their own', async () => {
  const { metrics } = openTelemetry();
  const server = await openMetricsServer(metrics, { host: '127.0.0.1', port: 0 });
  const response = await fetch(server.url);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(readMetrics(await response.text())).toHaveProperty('optiongraph_sockets');
  expect((await fetch(new URL('/', server.url))).status).toBe(404);
  await server.close();
});
