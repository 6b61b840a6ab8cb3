// Uses the sandbox by the JavaScript client of HaveAPI's authors, which knows nothing of Optiongraph.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';

/** What the client gives to callbacks: a row, a list, or a plain response. */
interface Reply {
  isOk(): boolean;
  itemAt(index: number): Reply;
  readonly length: number;
  readonly id: number;
  readonly name: string;
}
type Callback = (client: unknown, reply: Reply) => void;
interface Options {
  readonly params: object;
  readonly onReply: Callback;
  readonly onStateChange?: (client: unknown, reply: Reply, state: { progress: { current: number } }) => void;
  readonly onDone?: Callback;
}

interface Http {
  request(options: { method: string; callback: (status: number, response: Description) => void }): void;
}
interface Client {
  authenticate(method: string, options: object, callback: (client: unknown, isOk: boolean) => void): void;
  readonly dataset: {
    index(options: Options): void;
    show(id: number, callback: Callback): void;
    create(params: object, callback: Callback): void;
    readonly snapshot: { create(dataset: number, options: Options): void };
  };
  readonly _private: { readonly http: Http };
}

const { Client: HaveApiClient } = createRequire(import.meta.url)('haveapi-client') as {
  readonly Client: { new (url: string): Client; ProtocolVersion: string };
};

interface Resources {
  readonly resources?: Readonly<Record<string, Described>>;
}
interface Described extends Resources {
  readonly actions: Readonly<Record<string, { path: string; url?: string }>>;
}
interface Description {
  readonly response?: Resources & { readonly authentication: Readonly<Record<string, Resources>> };
}

/** Names paths as protocol 1 does, which is all that this client reads of an action and that protocol 2 has changed. */
function nameUrls({ resources = {} }: Resources): void {
  for (const resource of Object.values(resources)) {
    for (const action of Object.values(resource.actions))
      action.url = action.path.replace(/\{(\w+)\}/g, ':$1');
    nameUrls(resource);
  }
}

let sandbox: Sandbox;
const ownVersion = HaveApiClient.ProtocolVersion;
beforeAll(async () => {
  sandbox = await listenSandbox({ step: 'manual' });
  HaveApiClient.ProtocolVersion = '2.0';
});
afterAll(async () => {
  HaveApiClient.ProtocolVersion = ownVersion;
  await sandbox.close();
});

/** Opens a client that is told the paths of protocol 2. */
async function signIn(method: string, options: object): Promise<Client> {
  const client = new HaveApiClient(sandbox.url.replace(/\/$/, ''));
  const { http } = client._private;
  const { request } = http;
  http.request = (sent) =>
    request.call(http, {
      ...sent,
      callback(status, answered) {
        const { response } = answered;
        if (sent.method === 'OPTIONS' && response)
          [response, ...Object.values(response.authentication)].forEach(nameUrls);
        sent.callback(status, answered);
      },
    });
  await new Promise<void>((resolve, reject) => {
    client.authenticate(method, options, (_client, isOk) =>
      isOk ? resolve() : reject(new Error('refused')),
    );
  });
  return client;
}
const USER = { username: 'user', password: 'sandbox' };

const call = (begin: (callback: Callback) => void): Promise<Reply> =>
  new Promise((resolve) => {
    begin((_client, reply) => resolve(reply));
  });

const list = (client: Client): Promise<Reply> =>
  call((onReply) => client.dataset.index({ params: { limit: 2 }, onReply }));

it('is of protocol 1.2, which is an expected finding: nothing newer is published', () => {
  expect(ownVersion).toBe('1.2');
});

it('signs in by a user name, and by a token', async () => {
  const token = sandbox.users.find(({ login }) => login === 'user')?.token;
  for (const client of [await signIn('basic', USER), await signIn('token', { token })])
    expect((await list(client)).isOk()).toBe(true);
});

it('lists and shows rows', async () => {
  const client = await signIn('basic', USER);
  const rows = await list(client);
  expect(rows.length).toBe(2);
  const shown = await call((callback) => client.dataset.show(rows.itemAt(1).id, callback));
  expect(shown.name).toBe(rows.itemAt(1).name);
});

it('finds the described rules of input, and fails to report what breaks them, which is an expected finding', async () => {
  const client = await signIn('basic', USER);
  const methods: string[] = [];
  const stop = sandbox.onRequest(({ method }) => methods.push(method));
  // It calls a callback that it has stored under another name.
  expect(() => client.dataset.create({ name: '' }, () => undefined)).toThrow(
    'prep.callback is not a function',
  );
  stop();
  expect(methods).toEqual([]);
});

it('watches a blocking action to its end', async () => {
  const client = await signIn('basic', USER);
  const { id } = (await list(client)).itemAt(0);
  const progress: number[] = [];
  const done = await call((onDone) =>
    client.dataset.snapshot.create(id, {
      params: { label: 'by haveapi-client' },
      onReply: () => sandbox.advance(),
      onStateChange(_client, _reply, state) {
        progress.push(state.progress.current);
        sandbox.advance();
      },
      onDone,
    }),
  );
  expect(done.isOk()).toBe(true);
  expect(progress).toEqual([1, 2, 3, 4, 5]);
});
