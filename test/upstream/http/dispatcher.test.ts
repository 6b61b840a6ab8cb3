// Tests how the management API is reached: TLS, client certificates, Unix sockets and proxies; and what is said when it cannot be.
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenSnippets } from '../../../packages/sandbox/src/snippets/listen-snippets.ts';
import { createFacade } from '../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { openBrowserAtStub } from '../../helpers/browser.ts';
import { makeCertificate, type TestCertificate } from '../../helpers/certificates.ts';
import { collectLog } from '../../helpers/facade.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { listenWith } from '../../helpers/plain-server.ts';
import { openSnippetsFacade } from '../../helpers/snippets.ts';
import { hangUp, ok, raw } from '../../helpers/stub-upstream.ts';
import { WORKSHOP } from '../../helpers/workshop.ts';

const folder = makeFolder();
let server: TestCertificate;
let client: TestCertificate;
beforeAll(() => {
  server = makeCertificate(folder.path, 'server');
  client = makeCertificate(folder.path, 'client');
});
afterAll(() => folder[Symbol.dispose]());

const describeWorkshop: RequestListener = (_request, response) => ok(WORKSHOP)(response);

/** Starts a proxy that connects to these ports, and records where it is asked to connect and with which credential. */
const openProxy = (portOf: (target: string) => number, tunnels: string[]) =>
  listenWith(
    createServer().on('connect', ({ url = '', headers }, socket: Socket) => {
      tunnels.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim());
      const tunnel = connect(portOf(url), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(tunnel).pipe(socket);
      });
      for (const one of [socket, tunnel])
        one
          .on('error', () => undefined)
          .on('close', () => {
            for (const other of [socket, tunnel]) other.destroy();
          });
    }),
  );

const openSecure = (listener = describeWorkshop) =>
  listenWith(createSecureServer({ cert: server.certificate, key: server.key }, listener));

/** Starts a facade, and returns the name of its query type or the message of its failure. */
async function start(upstream: string, transport: FacadeOptions['transport'] = {}): Promise<string> {
  try {
    const options = { retry: { retries: 0 }, ...transport };
    await using facade = await createFacade({
      upstream: new URL(upstream),
      transport: options,
      log: collectLog(),
    });
    return facade.schema.schema.getQueryType()?.name ?? '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe('the certificate of the API', () => {
  it('is accepted only from a trusted authority', async () => {
    await using api = await openSecure();
    const url = `https://127.0.0.1:${api.port}/`;
    expect(await start(url)).toBe(
      `The management API at ${url} cannot be reached: its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    );
    expect(await start(url, { ca: client.certificate })).toContain('its certificate is not accepted');
    expect(await start(url, { ca: server.certificate })).toBe('Query');
  });
});

describe('an API that asks for a certificate', () => {
  it('gets that of the operator', async () => {
    const strict = { requestCert: true, rejectUnauthorized: true, ca: client.certificate };
    const { certificate: cert, key } = server;
    await using api = await listenWith(createSecureServer({ cert, key, ...strict }, describeWorkshop));
    const url = `https://127.0.0.1:${api.port}/`;
    expect(await start(url, { ca: cert })).toContain('cannot be reached');
    const shown = { certificate: client.certificate, key: client.key };
    expect(await start(url, { ca: cert, ...shown })).toBe('Query');
  });
});

describe('an API at a Unix socket', () => {
  it('is reached there, with the host of its address', async () => {
    const socket = join(folder.path, 'api.sock');
    const missing =
      'The management API at http://api.example/ cannot be reached: the Unix socket does not exist (ENOENT).';
    expect(await start('http://api.example/', { socket })).toBe(missing);
    const hosts: (string | undefined)[] = [];
    const listener: RequestListener = (request, response) => {
      hosts.push(request.headers.host);
      describeWorkshop(request, response);
    };
    await using _api = await listenWith(createServer(listener), socket);
    expect(await start('http://api.example/', { socket })).toBe('Query');
    expect(new Set(hosts)).toEqual(new Set(['api.example']));
  });
});

describe('a proxy', () => {
  it('connects to the API, unless the host is excepted', async () => {
    await using api = await openSecure();
    const tunnels: string[] = [];
    await using proxy = await openProxy(() => api.port, tunnels);
    const https = `http://me:pass-of-proxy@127.0.0.1:${proxy.port}`;
    const ca = server.certificate;
    // Only the proxy can find this host.
    expect(await start('https://localhost:1/', { ca, proxy: { https } })).toBe('Query');
    const basic = `Basic ${Buffer.from('me:pass-of-proxy').toString('base64')}`;
    expect(new Set(tunnels)).toEqual(new Set([`localhost:1 ${basic}`]));
    tunnels.length = 0;
    const except = 'example.org, 127.0.0.1';
    expect(await start(`https://127.0.0.1:${api.port}/`, { ca, proxy: { https, except } })).toBe('Query');
    expect(tunnels).toEqual([]);
  });

  it.each([
    ['::1', '[::1]'],
    ['[::1]', '[::1]'],
    ['0:0:0:0:0:0:0:1', '[::1]'],
    ['::0001', '[0:0::1]'],
    ['[::1]:{port}', '[::1]'],
  ])('is not used for an address that is excepted in another spelling: %s', async (spelling, host) => {
    const server = createServer(describeWorkshop);
    await new Promise<void>((resolve) => server.listen(0, '::', resolve));
    const { port } = server.address() as { port: number };
    const except = spelling.replace('{port}', String(port));
    const proxy = { http: 'http://127.0.0.1:1', except };
    expect(await start(`http://${host}:${port}/`, { proxy })).toBe('Query');
    expect(await start(`http://${host}:${port}/`, { proxy: { ...proxy, except: '::2,10.0.0.1' } })).toContain(
      'cannot be reached',
    );
    server.close();
    server.closeAllConnections();
  });

  it('connects to the OAuth 2.0 provider and to the snippet service too', async () => {
    const tunnels: string[] = [];
    await using proxy = await openProxy((target) => Number(target.split(':')[1]), tunnels);
    const transport = { proxy: { http: `http://127.0.0.1:${proxy.port}` } };
    await using at = await openBrowserAtStub(undefined, { transport });
    tunnels.length = 0;
    expect((await at.signIn()).status).toBe(302);
    expect(tunnels).toEqual([new URL(at.provider.described['token_url'] ?? '').host]);

    await using service = await listenSnippets();
    const url = new URL(service.url);
    await using snippets = await openSnippetsFacade({ url, transport });
    tunnels.length = 0;
    expect(await snippets.ask('{ snippetLanguages { name } }')).toMatchObject({ errors: [] });
    expect(tunnels).toEqual([url.host]);
  });

  it('that refuses is named as the cause, without its credential', async () => {
    const refusing = createServer().on('connect', (_request, socket: Socket) => {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    await using proxy = await listenWith(refusing);
    const https = `http://me:pass-of-proxy@127.0.0.1:${proxy.port}`;
    expect(await start('https://api.example/', { proxy: { https } })).toBe(
      'The management API at https://api.example/ cannot be reached: the proxy refused the connection (UND_ERR_ABORTED).',
    );
  });
});

describe('the message for the operator names the address without its credential, and the cause', () => {
  it('when nothing listens', async () => {
    await using free = await listenWith(createServer());
    await free.close();
    expect(await start(`http://me:pass-of-api@127.0.0.1:${free.port}/base/`)).toBe(
      `The management API at http://127.0.0.1:${free.port}/base/ cannot be reached: nothing listens there (ECONNREFUSED).`,
    );
  });

  it('when the host does not exist', async () => {
    expect(await start('http://nowhere.invalid/')).toContain('its host name does not exist (ENOTFOUND)');
  });

  it('when it does not speak TLS, or nothing but TLS', async () => {
    await using plain = await listenWith(createServer(describeWorkshop));
    expect(await start(`https://127.0.0.1:${plain.port}/`)).toMatch(/it does not speak TLS there \(\w+\)\.$/);
    await using secure = await openSecure();
    expect(await start(`http://127.0.0.1:${secure.port}/`)).toMatch(/cannot be reached.*\(\w+\)\.$/);
  });

  it.each([
    ['a website', raw('<title>Hello</title>'), /cannot be used: OPTIONS .+ this is not a HaveAPI server\.$/],
    [
      'a proxy of an API that is down',
      raw('', 502),
      /cannot be used: A proxy answered with status 502 .+\.$/,
    ],
    [
      'a server that hangs up',
      hangUp,
      /cannot be reached: the connection was closed without an answer \(\w+\)\.$/,
    ],
  ])('when there is %s', async (_name, answer, message) => {
    await using api = await listenWith(createServer((_request, response) => answer(response)));
    const url = `http://127.0.0.1:${api.port}/`;
    const said = await start(url);
    expect(said).toMatch(message);
    expect(said).toContain(`The management API at ${url} `);
  });

  it('when it does not answer in time', async () => {
    await using api = await listenWith(createServer(() => undefined));
    expect(await start(`http://127.0.0.1:${api.port}/`, { timeout: 50 })).toMatch(
      / did not answer in time\.$/,
    );
  });
});
