// The road of each operation, over any transport, in the order in which things happen.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { clientOf, findSender } from '../callers/client-address.ts';
import { openSession, type Requester, type Session, type SessionSource } from '../callers/session.ts';
import type { Client } from '../scheduling/client.ts';
import type { Processor } from '../scheduling/processor.ts';
import type { OperationEnd } from '../telemetry/observer.ts';
import type { Credential } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';
import { type ContextSource, createContext, type OperationContext, OperationControl } from './context.ts';
import type { CostLimit } from './cost/cost-limit.ts';
import { DeprecatedUses } from './documents/deprecated-uses.ts';
import type { Documents } from './documents/documents.ts';
import type { RightsHints } from './documents/rights-hints.ts';
import type { TrustedDocuments } from './documents/trusted-documents.ts';
import { PlannedExecution } from './execution/planned-execution.ts';
import type { OperationParams, OperationRequest } from './operation-request.ts';
import { type ExecutionParts, PreparedOperation } from './prepared-operation.ts';
import { chooseUnread, OperationReport, type ReportedRequester } from './reports/operation-report.ts';
import type { Retries } from './retries/retries.ts';
import { subscribe } from './subscription.ts';
import type { Executed, Phases, UserPlugins } from './user-plugins.ts';

/** What the operations of a facade need, each part for one step. */
export interface PipelineParts extends ExecutionParts, ContextSource {
  readonly trusted: TrustedDocuments;
  readonly sessions: SessionSource;
  readonly documents: Documents;
  readonly hints: RightsHints;
  readonly costs: CostLimit;
  readonly retries: Retries;
  /** The plugins of the library's user; null for none. */
  readonly plugins: UserPlugins | null;
}

/** Carries out operations. Each transport calls it, and nothing else executes one. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #deprecatedUses = new DeprecatedUses();
  readonly #execution = new PlannedExecution((context) => new OperationControl(context as OperationContext));

  /** Made once: one made in `prepare` would keep what that has worked with for as long as a live query lasts. */
  readonly #prepareAgain = (request: OperationRequest) => this.prepare(request);

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Reports the start of an operation. Null when nobody observes operations. */
  beginReport(requester: ReportedRequester, transport: OperationEnd['transport']): OperationReport | null {
    const { observer } = this.#parts;
    return observer.operation === undefined ? null : new OperationReport(observer, requester, transport);
  }

  /** Prepares an operation and executes it. Never rejects: the errors of the result are those of clients. */
  async run(request: OperationRequest): Promise<Executed> {
    const prepared = await this.prepare(request);
    return prepared instanceof PreparedOperation ? prepared.run() : prepared;
  }

  /** Decides whether an operation may be executed, and prepares that. Returns the refusal where it may not. Never rejects. */
  async prepare(request: OperationRequest): Promise<PreparedOperation | ExecutionResult> {
    const { trusted, documents, hints, introspection, costs, liveQueries, sessions, shutdown, results } =
      this.#parts;
    const { report } = request;
    const startedAt = performance.now();
    let mayReadSchema = true;
    try {
      const { requester, waitingSize } = request;
      const { client, credential } = findSender(requester, sessions);
      const turn =
        waitingSize === null ? undefined : sessions.processor.enter(client, waitingSize, requester.leaving);
      if (turn !== undefined) await turn;
      const params = readParams(trusted.resolve(request.readSent()));
      const { query, variables = null, operationName = null, onError } = params;
      // In the turn in which they are read: many large ones that wait would take much memory.
      documents.checkValues(params);

      const session = await this.#openSession(request, params, startedAt, credential);
      mayReadSchema = introspection.isOpenTo(session.caller);
      const paused = session.pause();
      if (paused !== undefined) await paused;
      // Nobody waits for what the client has ended meanwhile.
      requester.leaving?.throwIfAborted();
      const phases = this.#phasesOf(request, params, session);

      trusted.check(query);
      costs.check(session);
      const { schema } = phases;
      const endReading = documents.isLong(query)
        ? await sessions.processor.beginReading(clientOf(session.caller), requester.leaving)
        : null;
      let document: DocumentNode;
      let errors: readonly GraphQLError[];
      try {
        const parsed = asStep(report, 'parse', () => phases.parse(query, session.pause));
        document = parsed instanceof Promise ? await parsed : parsed;
        if (report !== null) report.chosen = { document, operationName, isTrusted: trusted.has(document) };
        const validated = asStep(report, 'validate', () => phases.validate(schema, document, session.pause));
        errors = validated instanceof Promise ? await validated : validated;
      } finally {
        endReading?.();
      }
      if (errors.length > 0)
        return results.refuse(await hints.add(errors, document, session), request, mayReadSchema);

      const definition = definitionOf(document, operationName);
      const kind = definition.operation;
      const live =
        definition.directives?.length === 0 ? null : liveQueries.read(schema, definition, variables);
      const isStream =
        kind === OperationTypeNode.SUBSCRIPTION || (live !== null && request.liveAs === 'stream');
      if (report !== null) report.deprecated = this.#deprecatedUses.find(schema, document, operationName);
      request.admit(isStream ? OperationTypeNode.SUBSCRIPTION : kind);
      if (kind === OperationTypeNode.MUTATION && sendsKey(request, params))
        request.retry = this.#parts.retries.open(request, params, session);
      // A stream ends with its connection, after which its client sends the operation again elsewhere.
      if (!isStream && shutdown.refusal !== null) throw shutdown.refusal;

      const operation = {
        ...{ schema, document, operationName, variableValues: variables },
        onError: onError ?? 'PROPAGATE',
      };
      introspection.check(session.caller, operation);
      if (introspection.readsSchema(document, schema) && session.wantsTexts) await session.loadTexts();
      // What is kept costs nothing.
      if (introspection.find(operation, session.texts) === undefined) {
        const estimated = costs.estimate(operation, session.pause);
        const cost = typeof estimated === 'number' ? estimated : await estimated;
        request.allowance = costs.charge(session, operation, cost, report);
      }

      const contextValue = await phases.createContext();
      const prepared = new PreparedOperation(
        operation,
        contextValue,
        kind,
        request,
        startedAt,
        phases,
        this.#parts,
      );
      if (endReading !== null) prepared.documentLength = query.length;
      if (live !== null) prepared.beLive(live, params, this.#prepareAgain);
      return prepared;
    } catch (error) {
      request.onRefusal?.(error);
      return results.refuse([error], request, mayReadSchema);
    }
  }

  /** Finds out whose work a request is. Never throws. */
  findClient(requester: Pick<Requester, 'header' | 'address'>): Client {
    return findSender(requester, this.#parts.sessions).client;
  }

  /** Checks what a client sends before it is parsed as JSON. @param what For messages. @throws DocumentLimitError */
  checkJson(text: string, what: string): void {
    this.#parts.documents.checkJson(text, what);
  }

  get processor(): Processor {
    return this.#parts.sessions.processor;
  }

  async #openSession(
    { requester, report }: OperationRequest,
    params: OperationParams,
    startedAt: number,
    credential: Credential | null | undefined,
  ): Promise<Session> {
    const end = report?.beginStep('session');
    try {
      const session = await openSession(requester, this.#parts.sessions, report, startedAt, credential);
      end?.({ hasFailed: false });
      return session;
    } catch (error) {
      if (report !== null)
        report.chosen = chooseUnread(params, (document) => this.#parts.trusted.has(document));
      end?.({ hasFailed: true });
      throw error;
    }
  }

  /** The phases of one operation, with the hooks of plugins around them. */
  #phasesOf(request: OperationRequest, params: OperationParams, session: Session): Phases {
    const { report, requester } = request;
    const { documents, costs, introspection, plugins } = this.#parts;
    const { execute, executeInParts } = this.#execution;
    const own: Phases = {
      schema: session.served.schema,
      parse: (text, pause) => documents.parse(text, () => costs.chargeText(session, text), pause),
      validate: (schema, document, pause) => documents.validate(schema, document, pause),
      createContext: () => createContext(session, report, this.#parts, request.retry ?? null),
      execute: (args) => {
        const { acceptedParts, isLive = false } = request.retry?.request ?? request;
        return acceptedParts !== null && !isLive && this.#execution.isIncremental(args)
          ? executeInParts(args, acceptedParts)
          : introspection.execute(args, execute, session);
      },
      subscribe: (args, handling) => subscribe(args, execute, handling),
    };
    return plugins === null ? own : plugins.around(own, { session, params, header: requester.header });
  }
}

const NAMES: ReadonlySet<string> = new Set([
  'query',
  'documentId',
  'variables',
  'operationName',
  'extensions',
  'onError',
]);

/** Checks the parameters of an operation. @throws GraphQLError with the status 400, which says what is wrong. */
function readParams(sent: unknown): OperationParams {
  if (!isObject(sent)) throw refuse(`The parameters of an operation must be an object, not ${kindOf(sent)}.`);
  const unknown = Object.keys(sent).find((name) => !NAMES.has(name) && sent[name] != null);
  if (unknown !== undefined) throw refuse(`Unexpected parameter "${unknown}" in the request body.`);
  const { query, operationName, onError } = sent;
  if (query == null) throw refuse('Must provide query string.');
  if (typeof query !== 'string')
    throw refuse(`The parameter "query" must be a string, not ${kindOf(query)}.`);
  for (const name of ['variables', 'extensions'])
    if (sent[name] != null && !isObject(sent[name]))
      throw refuse(`The parameter "${name}" must be an object, not ${kindOf(sent[name])}.`);
  if (operationName != null && typeof operationName !== 'string')
    throw refuse(`The parameter "operationName" must be a string, not ${kindOf(operationName)}.`);
  if (onError != null && onError !== 'NULL' && onError !== 'PROPAGATE')
    throw refuse('The parameter "onError" must be NULL or PROPAGATE.');
  return sent as unknown as OperationParams;
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const refuse = (message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { http: { status: 400 } } });

/** Whether a request has an idempotency key, which need not be a valid one. */
const sendsKey = ({ idempotencyHeader = null }: OperationRequest, { extensions }: OperationParams): boolean =>
  idempotencyHeader !== null || (extensions?.['idempotencyKey'] ?? null) !== null;

/** Runs a step, and reports it. */
function asStep<T>(report: OperationReport | null, step: 'parse' | 'validate', run: () => T): T {
  const end = report?.beginStep(step);
  if (end === undefined) return run();
  const finish = (result: unknown): void => end({ hasFailed: Array.isArray(result) && result.length > 0 });
  const fail = (): void => end({ hasFailed: true });
  try {
    const result = run();
    if (result instanceof Promise) void result.then(finish, fail);
    else finish(result);
    return result;
  } catch (error) {
    fail();
    throw error;
  }
}

function definitionOf(
  document: DocumentNode,
  operationName: ExecutionArgs['operationName'],
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  throw refuse('Could not determine what operation to execute.');
}
