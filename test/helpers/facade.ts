// Starts a facade over a sandbox, and sends operations to facades.

import type { RecordedRequest } from '../../packages/sandbox/src/http/sandbox-server.ts';
import {
  listenSandbox,
  type Sandbox,
  type SandboxOptions,
} from '../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { createLog, type Log } from '../../src/log.ts';
import type { Observer } from '../../src/observer.ts';
import { createLogObserver } from '../../src/plugins/log/log-observer.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { recordOutput } from './secrecy.ts';

/** The response to a GraphQL operation. */
export interface OperationResult<Data = Record<string, unknown>> {
  readonly status: number;
  readonly data: Data | null;
  readonly errors: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions: Record<string, unknown>;
  }[];
  readonly extensions: Record<string, unknown>;
  /** The body of the response. */
  readonly text: string;
}

/** Sends an operation to a facade by HTTP, without a network. */
export async function ask<Data = Record<string, unknown>>(
  facade: Facade,
  query: string,
  {
    variables = {},
    headers = {},
  }: { variables?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<OperationResult<Data>> {
  const response = await facade.yoga.fetch('http://facade.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  const body = JSON.parse(text) as Partial<OperationResult<Data>>;
  recordOutput('an error', JSON.stringify(body.errors ?? []));
  recordOutput('extensions', JSON.stringify(body.extensions ?? {}));
  return {
    status: response.status,
    data: body.data ?? null,
    errors: body.errors ?? [],
    extensions: body.extensions ?? {},
    text,
  };
}

/** A log that keeps its lines. */
export function collectLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const add = (line: string): void => {
    recordOutput('the log', line);
    lines.push(line);
  };
  return { lines, info: add, warn: add, error: (message, cause) => add(`${message} ${String(cause)}`) };
}

/** Logs all operations as slow ones to where secrets are searched for. */
export const recordedOperations = (): Observer =>
  createLogObserver(
    createLog((line) => recordOutput('the log of operations', line)),
    { level: 'info', slowOperation: 0 },
  );

/** The facade over a sandbox of its own, with what the sandbox saw. */
export interface Pair extends AsyncDisposable {
  readonly facade: Facade;
  readonly sandbox: Sandbox;
  /** Calls of actions that the sandbox answered; descriptions are not among them. */
  readonly calls: RecordedRequest[];
  /** Header with which a user asks. */
  headers(login: 'admin' | 'user'): Record<string, string>;
  /** Serves the facade over HTTP and WebSockets until the end of the test. */
  listen(): Promise<RunningServer>;
  /** Asks as the administrator, and says how many calls the sandbox saw for it. */
  ask<Data = Record<string, unknown>>(
    query: string,
    options?: { variables?: Record<string, unknown>; login?: 'admin' | 'user' | null },
  ): Promise<OperationResult<Data> & { readonly calls: number }>;
}

/** Starts a facade over a sandbox. */
export const startFacade = (sandbox: Sandbox, options: Partial<FacadeOptions> = {}): Promise<Facade> =>
  createFacade({
    upstream: new URL(sandbox.url),
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    log: collectLog(),
    observer: recordedOperations(),
    ...options,
  });

/** The options of a sandbox and of the facade over it. */
export interface PairOptions {
  readonly sandbox?: SandboxOptions;
  readonly facade?: Partial<FacadeOptions>;
}

/** Starts both on free ports. */
export async function startPair(options: PairOptions = {}): Promise<Pair> {
  const sandbox = await listenSandbox(options.sandbox);
  return pairOf(await startFacade(sandbox, options.facade), sandbox);
}

/** The pair of a facade and the sandbox at its upstream's address. */
export function pairOf(facade: Facade, sandbox: Sandbox): Pair {
  const calls: RecordedRequest[] = [];
  sandbox.onRequest((request) => {
    if (request.method !== 'OPTIONS') calls.push(request);
  });
  const headers = (login: 'admin' | 'user'): Record<string, string> => {
    const user = sandbox.users.find((candidate) => candidate.login === login);
    return { [sandbox.tokenHeader]: user?.token ?? '' };
  };
  const servers: RunningServer[] = [];
  return {
    facade,
    sandbox,
    calls,
    headers,
    async listen() {
      const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
      servers.push(server);
      return server;
    },
    async ask<Data>(query: string, { variables = {}, login = 'admin' as 'admin' | 'user' | null } = {}) {
      const before = calls.length;
      const answer = await ask<Data>(facade, query, {
        variables,
        headers: login === null ? {} : headers(login),
      });
      return { ...answer, calls: calls.length - before };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
      await facade.close();
      await sandbox.close();
    },
  };
}
