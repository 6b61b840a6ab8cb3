// Tests the commands of the command-line program.
import { describe, expect, test } from 'vitest';
import type { RecordedRequest } from '../../../packages/sandbox/src/http/sandbox-server.ts';
import { listenSandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { ADDRESS, ON_TERMINAL, runCli } from '../../helpers/cli.ts';
import { listen } from '../../helpers/plain-server.ts';
import { overSse, overWebSocket } from '../../helpers/streams.ts';
import { post } from '../../helpers/transports.ts';

const NAMES = '{ datasets(first: 2) { nodes { name user { label } } } }';

/** Sends a query to a running facade over HTTP. */
async function ask(url: string, headers: Record<string, string>, query = NAMES) {
  const response = await post(url, { query }, headers);
  const body: unknown = await response.json();
  return { status: response.status, body };
}

const sandboxIn = /Embedded sandbox \(its REST API\): ([^\s"]+)/;
const headersIn =
  / {2}admin \(password (\w+)\)\n {4}(\S+): (\S+)\n {2}user \(password \w+\)\n {4}(\S+): (\S+)\n/;

describe('serve', () => {
  test('prints its addresses and a header for each user of the sandbox, and answers with them', async () => {
    await using cli = runCli(['serve', '--sandbox', '--port', '0'], ON_TERMINAL);
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    const [, sandbox = ''] = await cli.waitForOutput(sandboxIn);
    const [, password, adminHeader = '', adminToken = '', userHeader = '', userToken = ''] =
      await cli.waitForOutput(headersIn);

    const ownRows = { datasets: { nodes: [{ user: { label: 'user' } }, { user: { label: 'user' } }] } };
    const answered = await ask(url, { [userHeader]: userToken });
    expect(answered).toMatchObject({ status: 200, body: { data: ownRows } });
    const asAdmin = await ask(url, { [adminHeader]: adminToken });
    expect(asAdmin.body).toMatchObject({ data: { datasets: expect.anything() } });
    const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    expect(await ask(url, { authorization: basic })).toMatchObject({
      body: { data: (asAdmin.body as { readonly data: object }).data },
    });
    expect((await fetch(sandbox, { method: 'OPTIONS' })).status).toBe(200);

    const [, snippets = ''] = await cli.waitForOutput(/Its snippet service: ([^\s"]+)/);
    const [, keyHeader = '', key = ''] = await cli.waitForOutput(/ {2}user\n {4}(\S+): (\S+)\n/);
    const created = await ask(
      url,
      { [keyHeader]: key },
      'mutation { snippetCreate(input: { content: "mine", accessibility: PRIVATE }) { url userErrors { code } } }',
    );
    const { data } = created.body as { readonly data: { readonly snippetCreate: { readonly url: string } } };
    expect(data.snippetCreate).toEqual({ url: expect.stringContaining(snippets), userErrors: [] });
    const page = await fetch(`${data.snippetCreate.url}?api_key=${key}`);
    expect(await page.text()).toBe('mine');

    cli.signal('SIGTERM');
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    // The address is alone, and after all that the start says.
    const lines = stdout.split('\n');
    const last = lines.indexOf(`GraphQL, and GraphiQL in a browser: ${url}`);
    expect(lines[last - 1]).toBe('');
    expect(lines.slice(last + 1).filter((line) => /event":"start"/.test(line))).toEqual([]);
    for (const address of [url, sandbox, snippets]) await expect(fetch(address)).rejects.toThrow();
  });

  test('is the default command, reads options from the environment, and ends on SIGINT too', async () => {
    await using free = await listen(() => {});
    await free.close();
    await using cli = runCli(['--sandbox'], {
      OPTIONGRAPH_LIMITS_OPERATION_COST: '26',
      PORT: String(free.port),
      OPTIONGRAPH_HOST: 'localhost',
      OPTIONGRAPH_INTROSPECTION: 'off',
    });
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    expect(new URL(url).port).toBe(String(free.port));
    for (const query of ['{ __schema { __typename } }', '{ a: __typename b: __typename }'])
      expect((await ask(url, {}, query)).body).toMatchObject({ errors: [expect.anything()] });
    await cli.waitForOutput(/Its tokens and keys are printed on a terminal only\./);
    cli.signal('SIGINT');
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/password|token:|key:/i);
  });

  test('uses the credential of the operator only to fetch the description', async () => {
    await using sandbox = await listenSandbox();
    const seen: RecordedRequest[] = [];
    sandbox.onRequest((request) => seen.push(request));
    const authorization = `Basic ${Buffer.from('admin:sandbox').toString('base64')}`;
    await using cli = runCli(['serve', '--port', '0', '--upstream', sandbox.url], {
      UPSTREAM_AUTHORIZATION: authorization,
    });
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    const option = { method: 'OPTIONS', headers: { authorization } };
    expect(seen.splice(0)).toMatchObject([option, option]);

    expect((await ask(url, {})).body).toMatchObject({
      errors: [{ message: 'Cannot query field "datasets" on type "Query".' }],
    });
    const token = sandbox.users[1]?.token ?? '';
    expect((await ask(url, { [sandbox.tokenHeader]: token })).body).not.toHaveProperty('errors');
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]));

    cli.signal('SIGTERM');
    const { stdout, stderr } = await cli.ended;
    expect(stdout).not.toMatch(/sandbox|password/i);
    for (const secret of [authorization.slice('Basic '.length), token])
      expect(stdout + stderr).not.toContain(secret);
  });
});

describe('serve, with a version of the API', () => {
  test('serves its schema: queries, streams and the explorer', async () => {
    await using cli = runCli(['--sandbox', '--port', '0', '--api-version', '5.0'], ON_TERMINAL);
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    const [, , , , name = '', token = ''] = await cli.waitForOutput(headersIn);
    const has = async (field: string): Promise<boolean> => {
      const query = `{ dataset(id: 12) { ${field} { id } } }`;
      const response = await post(url, { query }, { [name]: token });
      const { errors } = (await response.json()) as { readonly errors?: unknown };
      return errors === undefined;
    };
    expect([await has('vps'), await has('userNamespaceMap')]).toEqual([false, true]);
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const subscribe of [overWebSocket, overSse]) {
      await using stream = subscribe(url, 'subscription { actionProgress(id: 102) { outcome } }', {
        [name]: token,
      });
      expect(await stream.rest()).toEqual([{ actionProgress: { outcome: 'SUCCEEDED' } }]);
    }
  });
});

describe('serve, with its upstream down', () => {
  test('is alive but not ready, and becomes ready when the upstream is back', async () => {
    await using down = await listen(() => {});
    const { port } = down;
    await down.close();
    await using free = await listen(() => {});
    await free.close();
    const origin = `http://127.0.0.1:${free.port}`;
    await using cli = runCli(['--port', String(free.port), '--upstream', `http://127.0.0.1:${port}/`]);
    await expect.poll(() => cli.stdout, { timeout: 10_000 }).toContain('Trying again in 1 s');
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    expect((await fetch(`${origin}/ready`)).status).toBe(503);
    const early = await ask(`${origin}/graphql`, {});
    expect(early).toMatchObject({
      status: 503,
      body: { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }] },
    });
    await using sandbox = await listenSandbox({ port });
    await cli.waitForOutput(ADDRESS);
    expect((await fetch(`${origin}/ready`)).status).toBe(200);
    const token = sandbox.users[1]?.token ?? '';
    expect((await ask(`${origin}/graphql`, { [sandbox.tokenHeader]: token })).body).not.toHaveProperty(
      'errors',
    );
  });

  test('waits for an upstream that fails in any way, also after SIGHUP, until a signal ends it', async () => {
    const answers = [
      [500, '<h1>Oops</h1>'],
      [500, '{"status":false,"response":null,"message":"oops","errors":null}'],
      [503, '{"error":"maintenance"}'],
    ] as const;
    let attempts = 0;
    await using failing = await listen((_request, response) => {
      const [status, body] = answers[attempts] ?? answers[2];
      response.writeHead(status).end(body);
    });
    await using cli = runCli(['--port', '0', '--upstream', failing.url]);
    for (const seconds of [1, 2, 4]) {
      await cli.waitForOutput(new RegExp(`Trying again in ${seconds} s`));
      attempts += 1;
      cli.signal('SIGHUP');
    }
    cli.signal('SIGTERM');
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    expect(stdout.match(/Trying again/g)).toHaveLength(3);
  });
});

describe('sandbox', () => {
  test('serves only its REST API', async () => {
    await using cli = runCli(['sandbox', '--port', '0'], ON_TERMINAL);
    const [, url = ''] = await cli.waitForOutput(/management API is at (\S+)\n/);
    const [, , header = '', token = ''] = await cli.waitForOutput(headersIn);
    await cli.waitForOutput(
      /totp \(password sandbox, then a one-time code of the TOTP secret [A-Z2-7]{32}\)/,
    );
    await cli.waitForOutput(/sandbox-client \(secret sandbox-client-secret\), back to http:/);
    const options = await fetch(`${url}?describe=default`, { method: 'OPTIONS' });
    expect(await options.json()).toMatchObject({ status: true, response: { resources: {} } });
    const datasets = await fetch(`${url}v7.0/datasets`, { headers: { [header]: token } });
    expect(await datasets.json()).toMatchObject({ status: true });
    const [, snippets = ''] = await cli.waitForOutput(/snippet service is at (\S+)\n/);
    const [, key = '', value = ''] = await cli.waitForOutput(/ {2}user\n {4}(\S+): (\S+)\n/);
    const languages = await fetch(`${snippets}api/languages/?${key}=${value}`);
    expect(await languages.text()).toContain('text=Plain text\n');
    cli.signal('SIGTERM');
    expect(await cli.ended).toMatchObject({ code: 0, stderr: '' });
    for (const address of [url, snippets]) await expect(fetch(address)).rejects.toThrow();
  });

  test('applies its options for descriptions, cancelling, lists and snippets', async () => {
    const habits = {
      anonymousDescription: 'usable',
      ...{ cancelBlocks: true, snippetsNeedKey: true },
      failingIncludes: { 'dns_record#index': ['dns_zone'] },
      liveLog: 1,
    };
    const options = ['--habits', JSON.stringify(habits)];
    await using cli = runCli(['sandbox', '--port', '0', ...options], ON_TERMINAL);
    const [, url = ''] = await cli.waitForOutput(/management API is at (\S+)\n/);
    const [, , header = '', token = ''] = await cli.waitForOutput(headersIn);
    const described = await fetch(`${url}v7.0/`, { method: 'OPTIONS' });
    const { response } = (await described.json()) as { response: { resources: object } };
    expect(Object.keys(response.resources)).toEqual(['cluster', 'component', 'dns_record', 'action_state']);

    const sent = { [header]: token, 'content-type': 'application/json' };
    const init = { method: 'POST', headers: sent, body: '{}' };
    const created = await fetch(`${url}v7.0/datasets/1/snapshots`, init);
    const stateOf = async (answer: Response): Promise<unknown> =>
      ((await answer.json()) as { response: { _meta: { action_state_id: unknown } } }).response._meta
        .action_state_id;
    const cancelled = await fetch(`${url}v7.0/action_states/${await stateOf(created)}/cancel`, init);
    expect(await stateOf(cancelled)).toEqual(expect.any(Number));

    const records = `${url}v7.0/dns_records?_meta[includes]=dns_zone`;
    expect((await fetch(records, { headers: { [header]: token } })).status).toBe(500);
    const log = `${url}v7.0/datasets/1/property_history?_meta[count]=true`;
    const counted = await fetch(log, { headers: { [header]: token } });
    expect(await counted.json()).toMatchObject({ response: { _meta: { total_count: 2200 } } });

    await cli.waitForOutput(/which needs one for every command:\n/);
    const [, snippets = ''] = await cli.waitForOutput(/snippet service is at (\S+)\n/);
    const [, key = '', value = ''] = await cli.waitForOutput(/ {2}user\n {4}(\S+): (\S+)\n/);
    expect((await fetch(`${snippets}api/languages/`)).ok).toBe(false);
    expect((await fetch(`${snippets}api/languages/?${key}=${value}`)).ok).toBe(true);
  });
});
