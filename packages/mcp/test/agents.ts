// Starts the door for agents over a sandbox, with a client of the revision 2026-07-28 written for these tests.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { PLUGINS } from '../../../src/facade/plugins.ts';
import { startServer } from '../../../src/server/server.ts';
import { readAuthorization } from '../../../src/upstream/http/caller.ts';
import {
  collectLog,
  type Pair,
  type PairOptions,
  pairOf,
  recordedOperations,
} from '../../../test/helpers/facade.ts';
import { basicHeader } from '../../../test/helpers/sign-in.ts';
import { listenSandbox } from '../../sandbox/src/listen-sandbox.ts';
import { useAgents } from '../src/serve-agents.ts';

/** How a client is. */
interface AgentTraits {
  readonly login?: 'admin' | 'user';
  /** The answer of its user; absent: the client cannot ask. */
  readonly answer?: (message: string) => object;
}

/** What a tool has answered, parsed where it is JSON. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly [{ readonly text: string }];
  readonly tools?: readonly { readonly name: string }[];
  readonly inputRequests?: { readonly confirm: { readonly params: { readonly message: string } } };
  readonly requestState?: string;
}

const META = 'io.modelcontextprotocol';

/** A client, which sends each request alone. */
export class AgentClient {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #answer: AgentTraits['answer'];

  constructor(url: URL, headers: Readonly<Record<string, string>>, answer: AgentTraits['answer']) {
    this.#url = url;
    this.#headers = headers;
    this.#answer = answer;
  }

  async #send(method: string, params: Readonly<Record<string, unknown>>): Promise<Result> {
    // The revision 2026-07-28 states them with each request.
    const capabilities = this.#answer === undefined ? {} : { elicitation: { form: {} } };
    const meta = {
      [`${META}/protocolVersion`]: '2026-07-28',
      [`${META}/clientInfo`]: { name: 'test', version: '1' },
      [`${META}/clientCapabilities`]: capabilities,
    };
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        ...this.#headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
    const { result, error } = (await response.json()) as { result?: Result; error?: { message: string } };
    if (result === undefined) throw new Error(error?.message ?? `status ${response.status}`);
    return result;
  }

  /** Returns the tools as the server lists them. */
  async list(): Promise<NonNullable<Result['tools']>> {
    return (await this.#send('tools/list', {})).tools ?? [];
  }

  /** Calls a tool, and asks the user where the tool wants it. */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<Answer> {
    const params = { name, arguments: args };
    let result = await this.#send('tools/call', params);
    const { inputRequests, requestState } = result;
    if (inputRequests !== undefined) {
      const confirm = this.#answer?.(inputRequests.confirm.params.message);
      result = await this.#send('tools/call', { ...params, requestState, inputResponses: { confirm } });
    }
    const text = result.content?.[0].text ?? '';
    return { isError: result.isError === true, text, json: text.startsWith('{') ? JSON.parse(text) : {} };
  }
}

/** Serves an API to agents, at `url`. */
export async function serveAgents(
  upstream: URL,
  facadeOptions: Partial<FacadeOptions> = {},
  { readOnly = false, answerTokens = 4_000 } = {},
) {
  const agents = useAgents(null, { readOnly, answerTokens });
  const facade = await createFacade(
    { upstream, log: collectLog(), observer: recordedOperations(), ...facadeOptions },
    { ...PLUGINS, agents: () => agents },
  );
  const server = await startServer(facade, { host: '127.0.0.1', port: 0, limits: { drainTime: 0 } });
  return { facade, url: new URL('/mcp', server.url), close: () => server.close() };
}

/** A sandbox that is served to agents. */
export interface Agents extends Pair {
  readonly url: URL;
  /** Makes a client. */
  connect(traits?: AgentTraits): AgentClient;
}

/** The options of the door, and of what is behind it. */
type AgentOptions = PairOptions & { readonly readOnly?: boolean; readonly answerTokens?: number };

/** Serves a sandbox to agents. */
export async function startAgents(options: AgentOptions = {}): Promise<Agents> {
  const sandbox = await listenSandbox(options.sandbox);
  const descriptionCredential = readAuthorization(basicHeader('admin', 'sandbox').authorization);
  const facadeOptions = { descriptionCredential, ...options.facade };
  const { facade, url, close } = await serveAgents(new URL(sandbox.url), facadeOptions, options);
  const pair = pairOf(facade, sandbox);
  return {
    ...pair,
    url,
    connect: ({ login = 'admin', answer } = {}) => new AgentClient(url, pair.headers(login), answer),
    async [Symbol.asyncDispose]() {
      await close();
      await sandbox.close();
    },
  };
}

/** Serves a sandbox to agents during the tests of a file, and forgets the calls of the sandbox before each. */
export function shareAgents(options: AgentOptions = {}): Agents {
  const shared = {} as Agents;
  beforeAll(async () => {
    Object.assign(shared, await startAgents(options));
  });
  beforeEach(() => {
    shared.calls.length = 0;
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  return shared;
}
