// Tests that OpenTelemetry's environment variables, and nothing else, start the traces of the program.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadedFiles, REPORTS_LOADS, runCli } from '../helpers/cli.ts';
import { startCollector } from '../helpers/traces.ts';
import { post } from '../helpers/transports.ts';

/** Serves the sandbox, sends an operation, and stops the server. */
async function serveOnce(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly hasLoadedSdk: boolean }> {
  await using server = runCli(['serve', '--sandbox', '--port', '0'], { ...REPORTS_LOADS, ...env });
  const [, url = ''] = await server.waitForOutput(/"url":"([^"]+)"/);
  const response = await post(url, { query: 'query Hello { __typename }' });
  expect(await response.json()).toMatchObject({ data: { __typename: 'Query' } });
  server.signal('SIGTERM');
  const { code, stdout, stderr } = await server.ended;
  expect(code).toBe(0);
  const loaded = loadedFiles(stderr).filter((file) => file.startsWith('dist/'));
  const hasLoadedSdk = loaded.some((file) => readFileSync(file, 'utf8').includes('BatchSpanProcessor'));
  return { stdout, hasLoadedSdk };
}

const tracesLines = (stdout: string): readonly unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"event":"traces"'))
    .map((line) => JSON.parse(line).msg);

describe('the program', () => {
  it('sends traces to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, with the last spans at its end', async () => {
    await using collector = await startCollector();
    const { stdout, hasLoadedSdk } = await serveOnce({
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
    expect(hasLoadedSdk).toBe(true);
  });

  it.each([[{}], [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/', OTEL_SDK_DISABLED: 'true' }]])(
    'does not load the SDK of OpenTelemetry with %j',
    async (env) => {
      expect((await serveOnce(env)).hasLoadedSdk).toBe(false);
    },
  );

  it('ends in time when the collector never answers, and says so once', async () => {
    await using collector = await startCollector(null);
    const { stdout } = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // Without a bound of its own, the program would wait longer than the test.
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    });
    expect(tracesLines(stdout)).toEqual(['the last spans are lost, because the collector does not answer']);
  });

  it('says once that spans cannot be sent', async () => {
    await using collector = await startCollector(401);
    const { stdout } = await serveOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '1',
    });
    expect(tracesLines(stdout)).toEqual([
      'spans cannot be sent, and are lost; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector',
    ]);
    expect(stdout).toContain('"cause":"401"');
  });
});
