// Tests that OpenTelemetry's environment variables, and nothing else, start the traces of the program.
import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.ts';
import { startCollector } from '../helpers/traces.ts';

const encodeModule = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

/** Prints at the end which packages of OpenTelemetry the process has loaded. */
const LIST_PACKAGES = encodeModule(`
  import Module from 'node:module';
  process.on('exit', () => {
    const loaded = Object.keys(Module._cache).flatMap((path) => path.match(/@opentelemetry\\/[^/]+/) ?? []);
    process.stdout.write('LOADED ' + [...new Set(loaded)].sort().join() + '\\n');
  });
`);

/** Serves the sandbox, sends an operation, and stops the server. Returns what it has printed. */
async function serveOnce(env: Readonly<Record<string, string>>): Promise<string> {
  await using server = runCli(['serve', '--sandbox', '--port', '0'], {
    NODE_OPTIONS: `--import=${LIST_PACKAGES}`,
    ...env,
  });
  const [, url = ''] = await server.waitForOutput(/"url":"([^"]+)"/);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'query Hello { __typename }' }),
  });
  expect(await response.json()).toMatchObject({ data: { __typename: 'Query' } });
  server.signal('SIGTERM');
  const { code, stdout, stderr } = await server.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const tracesLines = (stdout: string): readonly unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"event":"traces"'))
    .map((line) => JSON.parse(line).msg);

describe('the program', () => {
  it('sends traces to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, with the last spans at its end', async () => {
    await using collector = await startCollector();
    const stdout = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-canary-1',
      OTEL_SERVICE_NAME: 'management',
    });
    expect(collector.resource).toMatchObject({ 'service.name': 'management' });
    expect(collector.requests[0]?.authorization).toBe('Bearer collector-canary-1');
    expect(collector.spans.flatMap(({ attributes }) => attributes['graphql.operation.name'] ?? [])).toEqual([
      'Hello',
    ]);
    expect(tracesLines(stdout)).toEqual([]);
    expect(stdout).not.toContain('collector-canary-1');
    expect(stdout).toMatch(/LOADED .*@opentelemetry\/sdk-trace/);
  });

  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/', OTEL_SDK_DISABLED: 'true' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/', OTEL_TRACES_EXPORTER: 'none' }],
  ])('loads nothing of OpenTelemetry but the interface that prom-client loads, with %j', async (env) => {
    expect(await serveOnce(env)).toContain('LOADED @opentelemetry/api\n');
  });

  it('serves without traces when the optional packages are not installed, and says so', async () => {
    const hooks = encodeModule(`export async function resolve(name, context, next) {
      if (!name.startsWith('@opentelemetry/sdk')) return next(name, context);
      throw Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' });
    }`);
    const stdout = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/',
      NODE_OPTIONS: `--import=${encodeModule(`import { register } from 'node:module'; register(${JSON.stringify(hooks)});`)}`,
    });
    expect(tracesLines(stdout)).toEqual([expect.stringContaining('are not installed')]);
  });

  it('ends in time when the collector never answers, and says so once', async () => {
    await using collector = await startCollector(null);
    const stdout = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // Without a bound of its own, the program would wait longer than the test.
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    });
    expect(tracesLines(stdout)).toEqual(['the last spans are lost, because the collector does not answer']);
  });

  it('says once that spans cannot be sent', async () => {
    await using collector = await startCollector(401);
    const stdout = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '1',
    });
    expect(tracesLines(stdout)).toEqual([
      'spans cannot be sent, and are lost; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector',
    ]);
    expect(stdout).toContain('"cause":"401"');
  });

  it('warns about invalid variables without their values, and serves', async () => {
    await using collector = await startCollector();
    const stdout = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'canary-value-1',
      OTEL_BSP_MAX_QUEUE_SIZE: 'canary-value-2',
      OTEL_PROPAGATORS: 'tracecontext,b3',
    });
    expect(tracesLines(stdout)).toEqual(
      expect.arrayContaining([
        'OTEL_EXPORTER_OTLP_PROTOCOL must be "http/protobuf" or "http/json"; the first is used',
        'OTEL_TRACES_SAMPLER is invalid, so its default is used',
        'OTEL_BSP_MAX_QUEUE_SIZE is invalid, so its default is used',
        'OTEL_PROPAGATORS: "b3" is unknown; "tracecontext", "baggage" and "none" are known',
      ]),
    );
    expect(stdout).not.toContain('canary-value');
    expect(await serveOnce({ OTEL_TRACES_EXPORTER: 'zipkin' })).toContain(
      'there are no traces, because OTEL_TRACES_EXPORTER must be \\"otlp\\" or \\"none\\"',
    );
  });
});
