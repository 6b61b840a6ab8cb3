// Tests that secrets never leave the facade.
import { describe, expect, it } from 'vitest';
import { listenSnippets } from '../../packages/sandbox/src/snippets/listen-snippets.ts';
import { combineObservers } from '../../src/observer.ts';
import { ask, startPair } from '../helpers/facade.ts';
import { recordOutput, takeLeaks } from '../helpers/secrecy.ts';
import { errorCodes, overSse, overWebSocket } from '../helpers/streams.ts';
import { openTelemetry } from '../helpers/telemetry.ts';
import { openTracing } from '../helpers/traces.ts';
import { post } from '../helpers/transports.ts';

const CANARIES = {
  password: 'canary-password-1',
  token: 'canary-token-2',
  code: 'canary-code-3',
  key: 'canary-key-4',
  path: 'canary-path-5',
  cookie: 'canary-cookie-6',
  input: 'canary-input-7',
} as const;

const OPERATIONS = [
  `mutation { tokenRequest(input: { user: "user", password: "${CANARIES.password}", lifetime: FIXED }) { token: result { token } userErrors { message } } }`,
  `mutation { tokenRequest(input: { user: "user", password: "${CANARIES.password}", lifetime: NOPE }) { token: result { token } } }`,
  `mutation { tokenTotp(input: { token: "${CANARIES.token}", code: "${CANARIES.code}" }) { token: result { token } userErrors { message } } }`,
  `mutation { dnsRecordDynamicUpdate(accessToken: "${CANARIES.path}") { userErrors { message } } }`,
  `mutation { apiServerUnlockTransactionSigningKey(input: { passphrase: "${CANARIES.password}" }) { userErrors { message } } }`,
  `mutation { snippetCreate(input: { content: "${CANARIES.input}", accessibility: PRIVATE }) { url userErrors { message } } }`,
  '{ snippetLanguages { name } }',
  '{ session { authenticated method expiresAt } }',
  '{ datasets(first: 1) { nodes { id } } broken',
];

describe('what is secret', () => {
  it('is in no response, error, trace or log line, whether the operation succeeds or fails', async () => {
    // Each operation is slow, so that its line lists its calls.
    const telemetry = openTelemetry(0);
    await using tracing = await openTracing();
    await using snippets = await listenSnippets({ allowAnonymous: false });
    await using pair = await startPair({
      facade: {
        ...telemetry.options,
        observer: combineObservers([telemetry.options.observer ?? {}, tracing.options.observer]),
        snippets: { url: new URL(snippets.url) },
        watch: { retryDeadline: 50, retryDelay: [5, 20] },
      },
    });
    const { url } = await pair.listen();
    const token = pair.sandbox.tokenHeader;
    const callers: Record<string, string>[] = [
      {},
      pair.headers('admin'),
      { [token]: CANARIES.token },
      { authorization: `Bearer ${CANARIES.token}` },
      { authorization: `Basic ${Buffer.from(`user:${CANARIES.password}`).toString('base64')}` },
      { authorization: `Digest ${CANARIES.token}` },
      { authorization: `Bearer ${CANARIES.token}`, [token]: CANARIES.token },
    ];
    const output: string[] = [];
    const secrets = { 'x-snippets-api-key': CANARIES.key, cookie: `s=${CANARIES.cookie}`, 'x-trace': '1' };
    const run = async (): Promise<void> => {
      for (const caller of callers) {
        for (const query of OPERATIONS) {
          const response = await post(url, { query }, { ...secrets, ...caller });
          output.push(await response.text(), JSON.stringify([...response.headers]));
        }
        for (const subscribe of [overSse, overWebSocket]) {
          const stream = subscribe(url, 'subscription { actionProgress(id: 999) { id } }', caller);
          output.push(JSON.stringify(await errorCodes(stream.next())));
          await stream.leave();
        }
      }
    };
    await run();
    // Once more with the upstream and the snippet service stopped.
    await pair.sandbox.close();
    await snippets.close();
    await run();
    expect(output.length).toBeGreaterThan(200);
    const spans = await tracing.finish();
    expect(spans.length).toBeGreaterThan(200);
    const { bodies } = tracing.collector;
    const everything = [...output, ...telemetry.allLines, await telemetry.metrics.text(), ...bodies].join(
      '\n',
    );
    // A validation error may quote the text of the operation to its sender, but no value of a variable.
    for (const canary of Object.values(CANARIES)) expect(everything).not.toContain(canary);
    expect(everything).not.toContain(Buffer.from(`user:${CANARIES.password}`).toString('base64'));
    expect(everything).toContain('UNAUTHENTICATED');
    for (const event of ['operation', 'upstream_failure'])
      expect(telemetry.lines(event).length, event).toBeGreaterThan(20);
  });
});

describe('the secrecy check of the whole test run', () => {
  it('records each credential, protected input and secret path, and finds it in output', async () => {
    await using pair = await startPair();
    const { tokenHeader } = pair.sandbox;
    const token = 'canary-token-to-find';
    const update =
      '{ dnsRecordDynamicUpdate(accessToken: "canary-path-to-find") { userErrors { message } } }';
    await ask(pair.facade, '{ userCurrent { id } }', { headers: { [tokenHeader]: token } });
    await pair.ask(`mutation ${update}`);
    await pair.ask(
      'mutation { tokenRequest(input: { user: "user", password: "canary-password-to-find", lifetime: FIXED }) { userErrors { code } } }',
    );
    expect(takeLeaks()).toEqual([]);
    for (const secret of [token, 'canary-path-to-find', 'canary-password-to-find']) {
      recordOutput('a line', `… ${secret} …`);
      expect(takeLeaks(), secret).toHaveLength(1);
      expect(takeLeaks(), secret).toHaveLength(0);
    }
  });
});
