// Tests the traces that a collector receives.
import { describe, expect, it } from 'vitest';
import { overSse, overWebSocket } from '../../helpers/streams.ts';
import { hangUp, refuse } from '../../helpers/stub-upstream.ts';
import { drawTree, openTracing } from '../../helpers/traces.ts';
import { post } from '../../helpers/transports.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const token = { 'x-library-token': 'one' };
const TOOLS = 'query Tools { a: tool(id: 5) { name } b: tool(id: 6) { name } }';
const PROGRESS = 'subscription Watch { actionProgress(id: 500) { current } }';
const TRACE = 'a1'.repeat(16);
const PARENT = 'b2'.repeat(8);
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const ERROR = 2;
const SHOW = 'GET /tools/{tool_id}';

const tree = (...lines: readonly string[]): string => lines.join('\n');

/** The steps of a query with two calls. */
const STEPS_OF_QUERY = [
  'query',
  '  open the session',
  '  graphql.parse',
  '  graphql.validate',
  '  graphql.execute',
  '    batch',
  '      GET /tools/{tool_id}',
  '      GET /tools/{tool_id}',
];

describe('a trace', () => {
  it('shows the steps of an operation, its batches and calls', async () => {
    await using tracing = await openTracing();
    await using shop = await openWorkshop({}, tracing.options);
    await shop.ask(TOOLS);
    const spans = await tracing.finish();
    expect(drawTree(spans)).toBe(tree(...STEPS_OF_QUERY));
    const { port } = new URL(shop.upstream.url);
    const named = (name: string) => spans.find((span) => span.name === name);
    expect(named('query')).toMatchObject({ kind: 2, status: { code: 0 } });
    expect(named('query')?.attributes).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Tools',
      'http.response.status_code': 200,
      'optiongraph.request_id': expect.any(String),
      'optiongraph.transport': 'http',
      'optiongraph.outcome': 'ok',
      'optiongraph.document.hash': expect.stringMatching(/^[\da-f]{64}$/),
      'optiongraph.cost': expect.any(Number),
      'optiongraph.coalesced': 0,
    });
    expect(named('batch')?.attributes).toMatchObject({ 'optiongraph.batch.size': 2 });
    expect(named('GET /tools/{tool_id}')).toMatchObject({ kind: 3, status: { code: 0 } });
    expect(named('GET /tools/{tool_id}')?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'url.template': '/tools/{tool_id}',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'optiongraph.action': 'tool#show',
    });
  });

  it('shows the waits of calls for their turn', async () => {
    await using tracing = await openTracing();
    await using shop = await openWorkshop({}, { ...tracing.options, transport: { connections: 1 } });
    await shop.ask(TOOLS);
    expect(drawTree(await tracing.finish())).toContain(
      tree('    batch', `      ${SHOW}`, '      wait for a connection', `      ${SHOW}`),
    );
  });

  it('shows the wait of a mutation for its action, with the polls', async () => {
    await using tracing = await openTracing();
    await using shop = await openWorkshop({}, tracing.options);
    const answer = shop.ask('mutation { toolSharpen(id: 5, wait: 20) { actionState { finished } } }');
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, finished: true, status: true });
    await answer;
    await shop.facade.close();
    const spans = await tracing.finish();
    const poll = 'GET /action_states/{action_state_id}/poll';
    expect(drawTree(spans)).toBe(
      tree(
        'mutation',
        '  open the session',
        '  graphql.parse',
        '  graphql.validate',
        '  graphql.execute',
        '    POST /tools/{tool_id}/sharpen',
        '    wait for an action',
        '      poll an action',
        `        ${poll}`,
        `        ${poll}`,
      ),
    );
    expect(spans.find(({ name }) => name === 'wait for an action')?.attributes).toEqual({
      'optiongraph.action.finished': true,
    });
  });

  it.each([
    ['websocket', overWebSocket],
    ['sse', overSse],
  ] as const)(
    'shows a subscription over %s with its poller, and continues the trace of the client',
    async (transport, open) => {
      await using tracing = await openTracing();
      await using shop = await openWorkshop({}, tracing.options);
      const { url } = await shop.listen();
      await using stream = open(url, PROGRESS, { ...token, traceparent: TRACEPARENT });
      await stream.next();
      shop.actions.set({ id: 500, current: 2, finished: true });
      await stream.rest();
      await shop.facade.close();
      const spans = await tracing.finish();
      expect(drawTree(spans)).toContain(
        tree(
          'subscription',
          '  open the session',
          '  graphql.parse',
          '  graphql.validate',
          '  poll an action',
          '    GET /action_states/{action_state_id}/poll',
        ),
      );
      const root = spans.find(({ name }) => name === 'subscription');
      expect(root).toMatchObject({
        parentSpanId: PARENT,
        attributes: { 'optiongraph.transport': transport, 'graphql.operation.name': 'Watch' },
      });
      expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    },
  );

  it('shows the calls of deferred fragments below the execution', async () => {
    await using tracing = await openTracing();
    await using shop = await openWorkshop({}, tracing.options);
    const { url } = await shop.listen();
    const query = '{ job(id: 1) { label } ... @defer { tool(id: 5) { name } } }';
    await using stream = overWebSocket(url, query, token);
    await stream.rest();
    await shop.facade.close();
    const drawn = drawTree(await tracing.finish());
    expect(drawn).toContain('\n  graphql.execute\n');
    expect(drawn).toContain('\n      GET /jobs/{job_id}');
    expect(drawn).toContain('\n      GET /tools/{tool_id}');
  });

  it('tells failed calls and operations', async () => {
    await using tracing = await openTracing();
    await using shop = await openWorkshop(
      { 'tool#show': () => hangUp, 'job#show': () => refuse('no') },
      { ...tracing.options, transport: { retry: { retries: 1, delay: 1 } } },
    );
    await shop.ask('{ tool(id: 5) { name } }');
    await shop.ask('{ nothing }');
    await shop.ask('{');
    const spans = await tracing.finish();
    expect(drawTree(spans)).toBe(
      tree(
        ...STEPS_OF_QUERY,
        'query',
        '  open the session',
        '  graphql.parse',
        '  graphql.validate',
        'GraphQL Operation',
        '  open the session',
        '  graphql.parse',
      ),
    );
    const failed = spans.filter(({ status }) => status.code === ERROR);
    expect(
      failed.map(({ name, attributes, status }) => [name, attributes['error.type'], status.message]),
    ).toEqual([
      ['query', 'UPSTREAM_UNAVAILABLE', undefined],
      ['graphql.execute', undefined, undefined],
      ['GET /tools/{tool_id}', 'UNREACHABLE', 'UND_ERR_SOCKET'],
      ['GET /tools/{tool_id}', 'UNREACHABLE', 'UND_ERR_SOCKET'],
      ['query', 'BAD_USER_INPUT', undefined],
      ['graphql.validate', undefined, undefined],
      ['GraphQL Operation', 'BAD_USER_INPUT', undefined],
      ['graphql.parse', undefined, undefined],
    ]);
  });
});

describe('the context of a trace', () => {
  const headers = { ...token, traceparent: TRACEPARENT, tracestate: 'vendor=1' };
  const sendTo = async (env: Readonly<Record<string, string>>, given: Readonly<Record<string, string>>) => {
    await using tracing = await openTracing(env);
    await using shop = await openWorkshop({}, tracing.options);
    const { url } = await shop.listen();
    const response = await post(url, { query: '{ tool(id: 5) { name } }' }, given);
    await response.text();
    const { traceparent, tracestate } = shop.upstream.calls.at(-1)?.headers ?? {};
    return { spans: await tracing.finish(), sent: { traceparent, tracestate } };
  };

  it('is taken from the client, and passed on to the management API', async () => {
    const { spans, sent } = await sendTo({}, headers);
    const call = spans.find(({ name }) => name.startsWith('GET '));
    const traceparent = `00-${TRACE}-${call?.spanId}-01`;
    expect(sent).toEqual({ traceparent, tracestate: 'vendor=1' });
    const root = spans.find(({ name }) => name === 'query');
    expect(root).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  });

  it('is a new one without a valid traceparent', async () => {
    const { spans, sent } = await sendTo({}, { ...token, traceparent: 'nonsense' });
    const [root] = spans;
    expect(root?.name).toBe('query');
    expect(root).not.toHaveProperty('parentSpanId');
    expect(sent.traceparent).toContain(root?.traceId);
  });

  it('is passed on without spans when the sampler takes none', async () => {
    const { spans, sent } = await sendTo({ OTEL_TRACES_SAMPLER: 'always_off' }, headers);
    expect(spans).toEqual([]);
    expect(sent.traceparent).toMatch(new RegExp(`^00-${TRACE}-.{16}-00$`));
  });
});

describe('traces', () => {
  it('of several facades in one process are apart', async () => {
    await using one = await openTracing({ OTEL_SERVICE_NAME: 'one' });
    await using two = await openTracing({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' });
    await using first = await openWorkshop({}, one.options);
    await using second = await openWorkshop({}, two.options);
    await Promise.all([first.ask('query One { __typename }'), second.ask('query Two { __typename }')]);
    const names = async ({ finish }: typeof one) =>
      (await finish()).flatMap(({ attributes }) => attributes['graphql.operation.name'] ?? []);
    expect(await names(one)).toEqual(['One']);
    expect(await names(two)).toEqual(['Two']);
    expect(one.collector.resource).toMatchObject({ 'service.name': 'one', 'service.version': '1.2.3' });
    expect(two.collector.resource).toMatchObject({ 'deployment.environment.name': 'test' });
  });

  it('are sent in protobuf by default', async () => {
    await using tracing = await openTracing({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });
    await using shop = await openWorkshop({}, tracing.options);
    await shop.ask('query Tool { tool(id: 5) { name } }');
    await tracing.finish();
    expect(tracing.collector.requests[0]?.['content-type']).toBe('application/x-protobuf');
    expect(tracing.collector.bodies.join()).toContain('GET /tools/{tool_id}');
  });
});
