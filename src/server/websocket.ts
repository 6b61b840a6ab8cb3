import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
} from 'graphql';
import {
  CloseCode,
  type Context,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  MessageType,
  stringifyMessage,
} from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { StaleTokenError } from '../auth/browser-sessions.ts';
import type { AddressOf } from '../callers/client-address.ts';
import { OperationLimitError } from '../upstream/errors/request-errors.ts';
import type { HeaderReader } from '../upstream/http/authentication.ts';
import type { Facade } from './facade.ts';
import { formatError, withCost } from './results.ts';
import type { Requester } from './session.ts';

/** Bounds of a connection. */
export interface WebSocketOptions {
  /** Longest wait for the first message, in milliseconds; default 3,000. */
  readonly initTimeout?: number;
  /** Between two pings, in milliseconds; a peer that does not answer one is dropped. Default 12,000. */
  readonly keepAlive?: number;
}

/** Operations but for streams that one connection may have under way. */
const MAX_UNDER_WAY = 200;

/** Longest message, in bytes. */
const MAX_MESSAGE = 1_000_000;

type Params = Readonly<Record<string, unknown>> | undefined;
type SocketContext = Context<Record<string, unknown>, Extra>;

/** What is kept of an operation while it runs. */
interface Running {
  /** Whether its session is open, so that it may have done something. */
  hasBegun: boolean;
  /** Not counted among those that must be answered once. */
  isStream: boolean;
  /** Of the message that began it: its id may be used again while it ends. */
  readonly payload: object;
  readonly requestId: string;
  readonly controller: AbortController;
}

/** The WebSockets of one facade. */
export interface SocketServer extends AsyncDisposable {
  /** Takes over a connection that asks to become one. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Serves GraphQL over WebSocket (`graphql-transport-ws` only). Credentials come in `connectionParams` under the names of the
 * HTTP headers, in any case.
 */
export function serveWebSockets(facade: Facade, options: WebSocketOptions = {}): SocketServer {
  const { yoga } = facade;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    handleProtocols: (protocols) =>
      protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false,
  });
  // Without a listener a failing upgrade would end the process.
  sockets.on('error', () => undefined);
  const running = new WeakMap<SocketContext, Map<string, Running>>();
  const runningOf = (context: SocketContext): Map<string, Running> => {
    const known = running.get(context) ?? new Map<string, Running>();
    running.set(context, known);
    return known;
  };

  /** Requests whose cookie held a session that the upstream knew at the upgrade. */
  const opened = new WeakSet<IncomingMessage>();

  /**
   * Ends a connection whose credential has ended. Operations that have begun get the error. The stock client reconnects, and
   * sends the others again.
   * @param answered The operation that has its answer already.
   */
  const end = (
    context: SocketContext,
    { message, extensions }: GraphQLFormattedError,
    answered?: string,
  ): void => {
    const { socket } = context.extra;
    for (const [id, { requestId, hasBegun }] of runningOf(context)) {
      if (id === answered || !hasBegun) continue;
      const payload = [{ message, extensions: { ...extensions, requestId } }];
      socket.send(stringifyMessage({ id, type: MessageType.Error, payload }));
    }
    socket.close(CloseCode.Forbidden, 'Forbidden');
  };

  /** Errors as an operation gets them. One that says that the credential has ended ends the connection. */
  const refuse = (
    context: SocketContext,
    id: string,
    errors: readonly GraphQLError[],
  ): readonly GraphQLFormattedError[] => {
    const requestId = runningOf(context).get(id)?.requestId ?? '';
    const formatted = errors.map((error) => formatError(error, requestId));
    const unauthenticated = formatted.find(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
    // After the message that is being made now.
    if (unauthenticated !== undefined) setImmediate(() => end(context, unauthenticated, id));
    return formatted;
  };

  const disposable = useServer<Record<string, unknown>>(
    {
      connectionInitWaitTimeout: options.initTimeout ?? 3_000,
      onConnect(context) {
        const { connectionParams, extra } = context;
        const problem = problemOf(connectionParams);
        if (problem !== null) {
          extra.socket.close(CloseCode.BadRequest, problem);
          return false;
        }
        // Graphql-ws tells only when a single result is there that it is not wanted any more.
        extra.socket.on('message', (data) => {
          const id = completedIn(String(data));
          if (id !== null) runningOf(context).get(id)?.controller.abort();
        });
        return true;
      },
      async onSubscribe(context, id, payload) {
        const running = runningOf(context);
        const underWay = [...running.values()].filter(({ isStream }) => !isStream).length;
        const requester: Requester & Running = askerOf(context, payload, facade.addressOf);
        running.set(id, requester);
        try {
          if (underWay >= MAX_UNDER_WAY)
            throw new OperationLimitError(
              `This connection has ${MAX_UNDER_WAY} operations under way already.`,
            );
          const session = await facade.openSession(requester);
          requester.hasBegun = true;
          const enveloped = yoga.getEnveloped({ session, params: payload });
          const document = enveloped.parse(payload.query);
          const errors = enveloped.validate(enveloped.schema, document);
          if (errors.length > 0) return errors as readonly GraphQLError[];
          requester.isStream = getOperationAST(document, payload.operationName)?.operation === 'subscription';
          return {
            schema: enveloped.schema,
            operationName: payload.operationName ?? null,
            document,
            variableValues: payload.variables ?? null,
            contextValue: await enveloped.contextFactory(),
            rootValue: { execute: enveloped.execute, subscribe: enveloped.subscribe },
          };
        } catch (error) {
          const failure = facade.toClientError(error);
          // The upgrade of another connection can renew the session. One that could not would not the next time either.
          if (error instanceof StaleTokenError && opened.has(context.extra.request))
            end(context, formatError(failure, requester.requestId));
          return [failure];
        }
      },
      execute: (args) => (args.rootValue as Enveloped).execute(args),
      subscribe: (args) => (args.rootValue as Enveloped).subscribe(args),
      onNext(context, id, _payload, args, result) {
        const { errors, ...rest } = withCost(result as ExecutionResult, args.contextValue as object, false);
        if (errors === undefined) return rest;
        return { ...rest, errors: refuse(context, id, errors) };
      },
      onError(context, id, _payload, errors) {
        return refuse(context, id, errors);
      },
      onComplete(context, id, payload) {
        const own = runningOf(context).get(id);
        // Its id may be another's by now.
        if (own?.payload !== payload) return;
        own.controller.abort();
        runningOf(context).delete(id);
      },
      onClose(context) {
        for (const { controller } of runningOf(context).values()) controller.abort();
      },
    },
    sockets,
    options.keepAlive,
  );
  const cookies = new WeakMap<IncomingMessage, string>();
  sockets.on('headers', (headers, request) => {
    const cookie = cookies.get(request);
    if (cookie !== undefined) headers.push(`Set-Cookie: ${cookie}`);
  });
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const { cookie } = request.headers;
    if (cookie !== undefined) {
      const upgrade = { header: headerReader(request, undefined), address: facade.addressOf(request) };
      const { isOpen, setCookie } = await facade.openUpgrade(upgrade);
      if (isOpen) opened.add(request);
      if (setCookie !== null) {
        cookies.set(request, setCookie);
        request.headers.cookie = withCookie(cookie, setCookie);
      }
    }
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
  };
  return {
    upgrade: (request, socket, head) => void upgrade(request, socket, head),
    [Symbol.asyncDispose]: async () => disposable.dispose(),
  };
}

interface Enveloped {
  readonly execute: (args: ExecutionArgs) => never;
  readonly subscribe: (args: ExecutionArgs) => never;
}

/** The id of the operation that a message completes; null for any other message. */
function completedIn(message: string): string | null {
  if (!message.includes('"complete"')) return null;
  try {
    const { type, id } = JSON.parse(message) as { readonly type?: unknown; readonly id?: unknown };
    return type === MessageType.Complete && typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

/** What is wrong with connection params, in the words that the closing frame carries; null for nothing. */
function problemOf(params: unknown): string | null {
  if (params === undefined || params === null) return null;
  if (typeof params !== 'object' || Array.isArray(params))
    return 'connectionParams must be an object of header names';
  const entries = Object.entries(params);
  if (entries.some(([, value]) => value !== null && typeof value !== 'string'))
    return 'connectionParams must hold strings only, each under the name of its HTTP header';
  if (entries.some(([, value]) => value !== null && !SENDABLE.test(value)))
    return 'connectionParams must hold only what an HTTP header can hold';
  const names = entries.map(([name]) => name.toLowerCase());
  return new Set(names).size === names.length ? null : 'connectionParams must hold each header once';
}

function askerOf(
  { connectionParams, extra }: SocketContext,
  payload: object,
  addressOf: AddressOf,
): Requester & Running {
  const controller = new AbortController();
  return {
    header: headerReader(extra.request, connectionParams),
    address: addressOf(extra.request),
    requestId: randomUUID(),
    signal: controller.signal,
    controller,
    payload,
    hasBegun: false,
    isStream: false,
  };
}

/** A `Cookie` header as the browser will send it once it has got a `Set-Cookie`. */
function withCookie(cookies: string, setCookie: string): string {
  const [pair = ''] = setCookie.split('; ', 1);
  const name = pair.slice(0, pair.indexOf('=') + 1);
  const others = cookies.split(/; */).filter((one) => !one.startsWith(name));
  return [...others, pair].join('; ');
}

/** What the value of an HTTP header may hold. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that browsers set and pages cannot: what tells where a connection comes from is never read from its params. */
const BROWSERS_OWN: ReadonlySet<string> = new Set(['cookie', 'host', 'origin', 'sec-fetch-site', 'upgrade']);

/** Reads a header from the connection params, else from the upgrade request. */
function headerReader({ headers, headersDistinct }: IncomingMessage, params: Params): HeaderReader {
  const given = new Map(
    Object.entries(params ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
  return (name) => {
    const key = name.toLowerCase();
    // The cookie may have been renewed.
    const header = key === 'cookie' ? headers.cookie : headersDistinct[key]?.join(', ');
    return (BROWSERS_OWN.has(key) ? null : given.get(key)) ?? header ?? null;
  };
}
