// The management API of the bench of attacks: a sandbox that answers late, or with long lists, to some tokens.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenSandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { readList } from '../../helpers/sandbox-requests.ts';
import { callTokenAction } from '../../helpers/sign-in.ts';
import type { Habit, TokensOrder, TokensReport } from './orders.ts';

const sandbox = await listenSandbox();
const logins = (await readList(sandbox, '/v7.0/users'))
  .map(({ login }) => String(login))
  .filter((login) => login !== sandbox.twoStepUser.login);
const habits = new Map<string, Habit>();
/** Long lists by their size and path. */
const lists = new Map<string, Buffer>();
let issued = 0;

async function issueTokens({ tokens, habit }: TokensOrder): Promise<TokensReport> {
  const all: string[] = [];
  for (let left = tokens; left > 0; left -= 1) {
    const user = logins[issued++ % logins.length] ?? '';
    const { token } = await callTokenAction(sandbox, '', {
      user,
      password: 'sandbox',
      lifetime: 'permanent',
    });
    all.push(String(token));
    habits.set(String(token), habit);
  }
  return { tokens: all };
}

/** Repeats the rows of a list until its answer has a size in bytes. */
function lengthen(answer: Buffer, size: number): Buffer {
  const text = answer.toString('utf8');
  const start = text.indexOf('[') + 1;
  const end = text.lastIndexOf(']');
  const rows = text.slice(start, end);
  const copies = Math.max(1, Math.round((size - answer.length) / (rows.length + 1)));
  return Buffer.from(text.slice(0, start) + `${rows},`.repeat(copies) + rows + text.slice(end));
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, { listSize }: Habit): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const sent = request(new URL(url, sandbox.url), { method, headers }, (answer) => {
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part));
    answer.once('end', () => {
      const own = Buffer.concat(parts);
      const [path = ''] = url.split('?');
      const isList = method === 'GET' && listSize !== undefined && /\/[a-z_]+s$/.test(path);
      const key = `${listSize} ${path}`;
      const body = isList ? (lists.get(key) ?? lengthen(own, listSize)) : own;
      if (isList) lists.set(key, body);
      const { 'content-length': _, 'transfer-encoding': __, ...others } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 500, { ...others, 'content-length': body.length }).end(body);
    });
  });
  sent.once('error', () => outgoing.destroy());
  incoming.pipe(sent);
}

const front = createServer((incoming, outgoing) => {
  const habit = habits.get(String(incoming.headers[sandbox.tokenHeader.toLowerCase()])) ?? {};
  const { descriptionDelay = 0, readDelay = 0 } = habit;
  const late = incoming.method === 'OPTIONS' ? descriptionDelay : readDelay;
  if (late === 0) forward(incoming, outgoing, habit);
  else setTimeout(() => outgoing.destroyed || forward(incoming, outgoing, habit), late);
});
front.keepAliveTimeout = 600_000;
front.listen(0, '127.0.0.1', () => {
  const { port } = front.address() as AddressInfo;
  process.on('message', (order: TokensOrder) => {
    void issueTokens(order).then((report) => process.send?.(report));
  });
  console.log(`ready http://127.0.0.1:${port}/ ${sandbox.tokenHeader}`);
});
