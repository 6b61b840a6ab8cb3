// The life of each operation, over any transport, in the order in which things happen.
import { envelop, isAsyncIterable, type Plugin } from '@envelop/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
  validate,
} from 'graphql';
import type { Sender, Sessions } from '../callers/session.ts';
import type { Observer, OperationEnd, OperationStep } from '../observer.ts';
import { UpstreamTimeoutError } from '../upstream/errors.ts';
import { BASE_COST, type CostBudget, estimate, INVALID_COST } from './cost/cost-limit.ts';
import { addRightsHints, type Documents, directivesOf, InvalidDocumentError } from './documents.ts';
import { CostLimitError, ResultSizeError, TooManyRequestsError } from './errors.ts';
import { execute, subscribe } from './execution/execute.ts';
import type { Limits } from './limits.ts';
import { OperationReport, type ReportedRequester } from './operation-report.ts';
import {
  type ContextSource,
  OperationContext,
  type OperationRequest,
  readParams,
  refuse,
  wantsEstimate,
} from './operation-request.ts';
import {
  type AdmittedOperation,
  checkPlugins,
  type Executed,
  type OperationPlugin,
  phaseHooksOf,
} from './plugin.ts';
import { addCost, type Results } from './results.ts';
import type { OperationsUnderWay, Shutdown } from './under-way.ts';

/** What the operations of a facade need, each part for one phase. */
interface PipelineParts extends ContextSource {
  readonly sessions: Sessions;
  readonly underWay: OperationsUnderWay;
  readonly documents: Documents;
  /** Returns the schemas of all callers. */
  readonly schemas: () => Iterable<GraphQLSchema>;
  readonly costBudget: CostBudget;
  readonly results: Results;
  readonly limits: Pick<Limits, 'operationCost' | 'queryTime' | 'mutationTime' | 'resultSize'>;
  readonly shutdown: Shutdown;
  readonly observer: Observer;
  /** In the order in which their hooks run. */
  readonly plugins: readonly OperationPlugin[];
}

type GetPhases = ReturnType<typeof envelop>;

/** An operation that may be executed, with what executes it. */
interface PreparedOperation extends AdmittedOperation {
  readonly args: ExecutionArgs & { readonly contextValue: OperationContext };
  readonly phases: ReturnType<GetPhases>;
  /** When it arrived, as `performance.now()`. */
  readonly startedAt: number;
}

/** `onOperation` or `onMutation` of a plugin, and its directives. */
type OperationHook = readonly [NonNullable<OperationPlugin['onOperation']>, readonly string[] | undefined];

/** Ends calls that serve no field. No error for clients: nothing is resolved after it. */
const FINISHED = new Error('The operation has finished.');

/** Carries out operations. Each transport calls it, and nothing else executes one. */
export class Pipeline {
  readonly #parts: PipelineParts;
  /** Puts the hooks of plugins around the phases of an operation. */
  readonly #getPhases: GetPhases;
  readonly #onParams: readonly NonNullable<OperationPlugin['onParams']>[];
  readonly #hooks: { readonly mutation: readonly OperationHook[]; readonly other: readonly OperationHook[] };

  /** @throws TypeError when a plugin has a hook that is never called. */
  constructor(parts: PipelineParts) {
    const { plugins } = parts;
    this.#parts = parts;
    this.#getPhases = envelop({
      plugins: [createEngine(parts), ...plugins.map(phaseHooksOf)],
    } as unknown as Parameters<typeof envelop>[0]);
    checkPlugins(this.#getPhases._plugins);
    this.#onParams = plugins.flatMap(({ onParams }) => onParams ?? []);
    this.#hooks = {
      mutation: plugins.flatMap(({ onOperation, onMutation = onOperation, directives }) =>
        onMutation ? [[onMutation, directives] as const] : [],
      ),
      other: plugins.flatMap(({ onOperation, directives }) =>
        onOperation ? [[onOperation, directives] as const] : [],
      ),
    };
  }

  /** Reports the start of an operation. Null when nobody observes operations. */
  beginReport(requester: ReportedRequester, transport: OperationEnd['transport']): OperationReport | null {
    const { observer } = this.#parts;
    return observer.operation === undefined ? null : new OperationReport(observer, requester, transport);
  }

  /** Carries out an operation. Never rejects: the errors of the result are those of clients. A stream may throw such an error. */
  readonly run = async (request: OperationRequest): Promise<Executed> => {
    const { sessions, underWay, results } = this.#parts;
    const startedAt = performance.now();
    let client: string | null = null;
    try {
      const sender = sessions.findSender(request.requester);
      client = underWay.enter(sender.client);
      const operation = await this.#prepare(request, sender, startedAt);
      return addCost(operation === null ? { data: null } : await this.#runFrom(0, operation), request);
    } catch (error) {
      request.refusal = error;
      const errors = error instanceof InvalidDocumentError ? error.errors : [error];
      return addCost(results.refuse(errors, request), request);
    } finally {
      if (client !== null) underWay.leave(client);
    }
  };

  /** Finds out whether an operation may be executed. Null when its client wants only the estimate. @throws the cause of a refusal */
  async #prepare(
    request: OperationRequest,
    sender: Sender,
    startedAt: number,
  ): Promise<PreparedOperation | null> {
    const { sessions, documents, costBudget, limits, shutdown } = this.#parts;
    const { report = null } = request;
    let sent = request.readSent();
    for (const onParams of this.#onParams) sent = onParams(sent, request);
    const params = readParams(sent);
    const { query, variables = null, operationName = null, onError } = params;

    const session = await observe(report, 'session', () => sessions.open(sender, report, startedAt));
    const mayReadSchema = documents.isOpenTo(session.caller);
    request.hidesSchema = !mayReadSchema;
    request.allowance = costBudget.left(session);
    const retryAfter = request.allowance?.retryAfter ?? 0;
    if (retryAfter > 0) throw new TooManyRequestsError(retryAfter);
    const { schema } = session.served;
    const contextValue = new OperationContext(request, params, session, this.#parts);
    const phases = this.#getPhases(contextValue);

    const document: DocumentNode = observe(report, 'parse', () => phases.parse(query));
    if (report !== null) report.chosen = { document, operationName, isTrusted: request.isTrusted === true };
    const errors = observe(report, 'validate', () => phases.validate(schema, document));
    if (errors.length > 0) {
      request.allowance = costBudget.charge(session, INVALID_COST);
      throw new InvalidDocumentError(addRightsHints(errors, session, this.#parts.schemas));
    }

    const definition = definitionOf(document, operationName);
    request.admit?.(definition);
    // A stream ends with its connection, after which its client sends the operation again elsewhere.
    if (definition.operation !== OperationTypeNode.SUBSCRIPTION) shutdown.check();
    if (!mayReadSchema) documents.checkIntrospection(schema, document);
    const cost = estimate(schema, document, operationName, variables ?? {});
    if (report !== null) report.cost = cost;
    request.estimate = cost;
    const { operationCost } = limits;
    // The operator has decided about trusted documents. The limits of calls and bytes still bound them.
    if (cost > operationCost && request.isTrusted !== true) throw new CostLimitError(cost, operationCost);
    const isEstimate = wantsEstimate(request, params);
    request.allowance = costBudget.charge(session, isEstimate ? BASE_COST : Math.min(cost, operationCost));
    if (isEstimate) return null;

    const extending: unknown = phases.contextFactory();
    // The context is extended in place.
    if (extending instanceof Promise) await extending;
    const args = {
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
      onError: onError ?? 'PROPAGATE',
    };
    const { run } = this;
    return { request, params, contextValue, schema, document, definition, phases, startedAt, run, args };
  }

  /** Carries out an operation by the hooks of plugins from one on, each around the next, and by execution. Never rejects. */
  async #runFrom(first: number, operation: PreparedOperation): Promise<Executed> {
    const { request, document, definition } = operation;
    const used = directivesOf(document);
    const isMutation = definition.operation === OperationTypeNode.MUTATION;
    const hooks = isMutation ? this.#hooks.mutation : this.#hooks.other;
    try {
      for (let index = first; index < hooks.length; index += 1) {
        const [hook, directives] = hooks[index] as OperationHook;
        if (directives?.some((name) => used.has(name)) === false) continue;
        const executed = hook(operation, () => this.#runFrom(index + 1, operation));
        if (executed !== null) return await executed;
      }
      if (request.execute !== undefined) return await request.execute(operation);
      return definition.operation === OperationTypeNode.SUBSCRIPTION
        ? await this.#subscribe(operation)
        : await this.#execute(operation);
    } catch (error) {
      return this.#parts.results.refuse([error], request);
    }
  }

  async #execute({ request, args, phases, startedAt, definition }: PreparedOperation): Promise<Executed> {
    const { shutdown, results, limits } = this.#parts;
    const { contextValue } = args;
    // The user's part of the context may have taken its time.
    shutdown.check();
    const endPhase = request.report?.beginPhase('execute');
    const { end } = contextValue.operation;
    shutdown.operations.add(end);
    // The session was opened within the same time. What is not finished at its end is UPSTREAM_TIMEOUT.
    const time = definition.operation === OperationTypeNode.MUTATION ? limits.mutationTime : limits.queryTime;
    const left = time - (performance.now() - startedAt);
    const timer = setTimeout(() => end.abort(createTimeoutError(time)), Math.max(0, left));
    const finish = (hasFailed: boolean): void => {
      clearTimeout(timer);
      // What was read early for an object that does not exist is of no use to anybody.
      end.abort(FINISHED);
      shutdown.operations.delete(end);
      endPhase?.({ hasFailed });
    };
    try {
      const result: Executed = await phases.execute(args);
      if (isAsyncIterable(result))
        return results.completeParts(result, request, contextValue, () => finish(false));
      finish(result.errors !== undefined);
      return results.complete(result, request, contextValue);
    } catch (error) {
      finish(true);
      const { hasWritten } = contextValue.operation;
      throw error instanceof ResultSizeError && hasWritten ? new ResultSizeError(error.limit, true) : error;
    }
  }

  async #subscribe({ request, args, phases }: PreparedOperation): Promise<Executed> {
    const { results, observer } = this.#parts;
    const subscribed: Executed = await phases.subscribe(args);
    if (!isAsyncIterable(subscribed)) return results.complete(subscribed, request, args.contextValue);
    const end = request.report ? observer.subscription?.(request.report.observed) : undefined;
    return results.completeEvents(subscribed, request, args.contextValue, () => end?.());
  }
}

/** Makes the plugin that stands first in the list, and names the functions around which the others have hooks. */
function createEngine({ documents, costBudget, limits }: PipelineParts): Plugin<OperationContext> {
  const executeWithin = (args: ExecutionArgs) => execute(args, limits.resultSize);
  const executeAny = (args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> =>
    documents.execute(args, executeWithin);
  return {
    onEnveloped: ({ context, setSchema }) => {
      if (context) setSchema(context.session.served.schema);
    },
    // A new text costs a point for each character. Clients pay for theirs once, as long as it is kept.
    onParse: ({ context, setParseFn }) =>
      setParseFn((text: string) =>
        documents.parse(text, () => costBudget.charge(context.session, text.length)),
      ),
    onValidate: ({ setValidationFn }) =>
      setValidationFn(((schema, document, rules) => [
        ...documents.validate(schema, document),
        ...(rules === undefined ? [] : validate(schema, document, rules)),
      ]) satisfies typeof validate),
    onExecute: ({ context, setExecuteFn }) => setExecuteFn(context.operationExecutor ?? executeAny),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args) => subscribe(args, executeWithin)),
  };
}

const observe = <T>(report: OperationReport | null, phase: OperationStep['step'], run: () => T): T =>
  report === null ? run() : report.observe(phase, run);

function definitionOf(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  throw refuse('Could not determine what operation to execute.');
}

const createTimeoutError = (time: number): UpstreamTimeoutError =>
  new UpstreamTimeoutError(
    `The operation took more than ${time / 1_000} s. Request fewer rows or fields, or split it.`,
  );
