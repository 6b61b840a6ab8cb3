// Tests that malformed and foreign requests are refused without revealing internals of the server.
import { describe, expect, it } from 'vitest';
import { exchange } from '../helpers/raw-http.ts';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { post as postTo } from '../helpers/transports.ts';

const QUERY = JSON.stringify({ query: '{ tool(id: 5) { name } }' });
const WRITE = 'mutation { toolStamp(id: 5) { tool { name } } }';
const JSON_BODY = 'content-type: application/json';

const shop = shareWorkshop();

/** Sends a request with these lines, and returns the status and the text of the answer. */
async function send(lines: readonly string[], body = ''): Promise<readonly [status: number, text: string]> {
  const head = [...lines, 'connection: close', ...(body === '' ? [] : [`content-length: ${body.length}`])];
  const text = await exchange(shop.url, `${head.join('\r\n')}\r\n\r\n${body}`);
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text];
}

const get = (target: string, ...headers: readonly string[]) =>
  send([`GET ${target} HTTP/1.1`, 'host: localhost', ...headers]);
const post = (body: string, ...headers: readonly string[]) =>
  send(['POST /graphql HTTP/1.1', 'host: localhost', ...headers], body);

describe('a malformed request', () => {
  it.each([
    ['a space in Host', ['GET /graphql HTTP/1.1', 'host: a b'], 400],
    ['a path in Host', ['GET /graphql HTTP/1.1', 'host: a/b'], 400],
    ['a user in Host', ['GET /graphql HTTP/1.1', 'host: user@a'], 400],
    ['an impossible port in Host', ['GET /graphql HTTP/1.1', 'host: a:99999'], 400],
    ['other characters in Host', ['GET /graphql HTTP/1.1', 'host: \xff\xfe'], 400],
    ['an empty Host', ['GET /graphql HTTP/1.1', 'host:'], 400],
    ['no Host', ['GET /graphql HTTP/1.1'], 400],
    ['two Hosts', ['GET /graphql HTTP/1.1', 'host: localhost', 'host: b'], 400],
    ['an absolute target', ['GET http://elsewhere/graphql HTTP/1.1', 'host: localhost'], 400],
    ['an asterisk as target', ['GET * HTTP/1.1', 'host: localhost'], 400],
    ['an unknown method', ['STEAL /graphql HTTP/1.1', 'host: localhost'], 400],
    ['a bad Content-Length', ['POST /graphql HTTP/1.1', 'host: localhost', 'content-length: five'], 400],
    ['a negative Content-Length', ['POST /graphql HTTP/1.1', 'host: localhost', 'content-length: -5'], 400],
    ['huge headers', ['GET /graphql HTTP/1.1', 'host: localhost', `x-large: ${'x'.repeat(20_000)}`], 431],
    ['two slashes', ['GET // HTTP/1.1', 'host: localhost'], 404],
    ['bad percent-encoding', ['GET /%zz%ff HTTP/1.1', 'host: localhost'], 404],
    ['bad percent-encoding below the endpoint', ['GET /graphql/%zz HTTP/1.1', 'host: localhost'], 404],
    ['a long path', [`GET /${'a/'.repeat(5_000)} HTTP/1.1`, 'host: localhost'], 404],
  ] as const)('with %s is refused', async (_name, lines, status) => {
    for (const accept of ['text/html', 'application/json']) {
      const [answered, text] = await send([...lines, `accept: ${accept}`]);
      expect(answered).toBe(status);
      expect(text).not.toMatch(/\bat \w|node_modules|\.[jt]s\b/);
    }
  });

  it.each([
    ['a bad Origin', ['origin: a b']],
    ['two Origins', ['origin: http://a', 'origin: http://b']],
    ['bad cookies', ['cookie: ;;=;optiongraph_session=x; \xff=%%%']],
    ['an odd Accept', ['accept: ;;,text/html;q=x,/,*']],
    ['no Accept', ['accept:']],
    ['an odd X-Forwarded-For', ['x-forwarded-for: a, \xff,,::1%zz']],
    ['an odd request id', ['x-request-id: \xff']],
    ['an odd Accept-Encoding', ['accept: text/html', 'accept-encoding: ;q=,br;q=x']],
    ['an odd preflight', ['access-control-request-headers: \xff']],
  ])('with %s is answered', async (_name, headers) => {
    const [status, text] = await post(QUERY, JSON_BODY, 'x-library-token: one', ...headers);
    expect(text).not.toMatch(/\bat \w+ |node_modules/);
    expect(status).toBeLessThan(500);
  });

  it.each(['query=%', 'query={&variables={', 'query={__typename}&extensions=]', 'variables=%7b%7d'])(
    'with the parameters %s is an error of the client',
    async (parameters) => {
      const [status, text] = await get(`/graphql?${parameters}`, 'accept: application/graphql-response+json');
      expect(status).toBe(400);
      expect(text).toContain('BAD_USER_INPUT');
    },
  );
});

describe('an operation that a foreign page can send without a preflight', () => {
  it.each([
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(WRITE)}`],
    ['Application/X-WWW-Form-Urlencoded; charset=utf-8', `query=${encodeURIComponent(WRITE)}`],
    ['text/plain', JSON.stringify({ query: WRITE })],
    ['text/plain; x=application/json', JSON.stringify({ query: WRITE })],
    ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n{}\r\n--x--'],
    ['', JSON.stringify({ query: WRITE })],
  ])('as "%s" is refused with 415', async (type, body) => {
    for (const accept of ['application/json', 'application/graphql-response+json', '*/*']) {
      const headers = type === '' ? [] : [`content-type: ${type}`];
      const [status] = await post(body, ...headers, `accept: ${accept}`);
      expect(status).toBe(415);
    }
    expect(shop.upstream.calls).toEqual([]);
  });

  it('as a mutation by GET is refused', async () => {
    const [status] = await get(`/graphql?query=${encodeURIComponent(WRITE)}`);
    expect(status).toBe(405);
    expect(shop.upstream.calls).toEqual([]);
  });
});

describe('a subscription', () => {
  const query = 'subscription { actionProgress(id: 500) { current } }';

  const subscribe = (origin: string, accept: string, signal: AbortSignal | null = null) =>
    postTo(shop.url, { query }, { accept, origin, 'x-library-token': 'one' }, signal);

  it('of a foreign page is refused', async () => {
    const answer = await subscribe('http://evil.example', 'text/event-stream');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('FORBIDDEN');
    expect((await subscribe('http://evil.example', 'multipart/mixed')).status).toBe(406);
    expect(shop.upstream.calls).toEqual([]);
  });

  it('of its own page is served', async () => {
    const leave = new AbortController();
    const { status } = await subscribe(new URL(shop.url).origin, 'text/event-stream', leave.signal);
    expect(status).toBe(200);
    leave.abort();
    await shop.actions.waitForOpenPolls(0);
  });
});

describe('a response', () => {
  it('is not stored, interpreted as another type or shown in a frame', async () => {
    for (const [, text] of [await post(QUERY, JSON_BODY), await get('/nowhere'), await get('/health')]) {
      expect(text).toMatch(/^cache-control: no-store\r$/im);
      expect(text).toMatch(/^x-content-type-options: nosniff\r$/im);
      expect(text).toMatch(/^x-frame-options: DENY\r$/im);
    }
  });
});
