// The life of each operation, over any transport, in the order in which things happen.
import { envelop, isAsyncIterable, type Plugin } from '@envelop/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
  validate,
} from 'graphql';
import { findSender, openSession, type SessionSource } from '../callers/session.ts';
import type { OperationEnd } from '../observer.ts';
import { UpstreamTimeoutError } from '../upstream/errors.ts';
import { type ContextSource, OperationContext } from './context.ts';
import { BASE_COST, type CostLimit } from './cost/cost-limit.ts';
import { findDeprecatedUses } from './documents/deprecated-uses.ts';
import type { Documents } from './documents/documents.ts';
import type { RightsHints } from './documents/rights-hints.ts';
import { ResultSizeError } from './errors.ts';
import { execute, subscribe } from './execution/execute.ts';
import type { Introspection } from './introspection.ts';
import type { Limits } from './limits.ts';
import { OperationReport, type ReportedRequester } from './operation-report.ts';
import {
  type OnError,
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
import { addCost, addCostToFirst, type Results } from './results/results.ts';
import type { OperationsUnderWay, Shutdown } from './under-way.ts';

/** What the operations of a facade need, each part for one phase. */
export interface PipelineParts extends ContextSource {
  readonly sessions: SessionSource;
  readonly underWay: OperationsUnderWay;
  readonly documents: Documents;
  readonly hints: RightsHints;
  readonly costs: CostLimit;
  readonly introspection: Introspection;
  readonly results: Results;
  readonly limits: Pick<Limits, 'queryTime' | 'mutationTime' | 'resultSize'>;
  readonly shutdown: Shutdown;
  /** In the order in which their hooks run. */
  readonly plugins: readonly OperationPlugin[];
}

/** An operation that may be executed, with the arguments of graphql-js. */
export interface PreparedOperation extends ExecutionArgs {
  readonly onError: OnError;
  readonly contextValue: OperationContext;
  /** Executes or subscribes, once. Never rejects: the errors of the result are those of clients. A stream may throw such an error. */
  run(): Promise<Executed>;
}

/** Ends calls that serve no field. No error for clients: nothing is resolved after it. */
const FINISHED = new Error('The operation has finished.');

const nothing = (): void => undefined;

/** Carries out operations. Each transport calls it, and nothing else executes one. */
export class Pipeline {
  readonly #parts: PipelineParts;
  /** Puts the hooks of plugins around the phases of an operation. */
  readonly #getPhases: ReturnType<typeof envelop>;
  readonly #onParams: readonly NonNullable<OperationPlugin['onParams']>[];
  readonly #onOperation: readonly NonNullable<OperationPlugin['onOperation']>[];

  /** @throws TypeError when a plugin has a hook that is never called. */
  constructor(parts: PipelineParts) {
    const { plugins } = parts;
    this.#parts = parts;
    this.#getPhases = envelop({
      plugins: [this.#createEngine(), ...plugins.map(phaseHooksOf)],
    } as unknown as Parameters<typeof envelop>[0]);
    checkPlugins(this.#getPhases._plugins);
    this.#onParams = plugins.flatMap(({ onParams }) => onParams ?? []);
    this.#onOperation = plugins.flatMap(({ onOperation }) => onOperation ?? []);
  }

  /** Reports the start of an operation. Null when nobody observes operations. */
  beginReport(requester: ReportedRequester, transport: OperationEnd['transport']): OperationReport | null {
    const { observer } = this.#parts;
    return observer.operation === undefined ? null : new OperationReport(observer, requester, transport);
  }

  /** Prepares an operation and executes it. Never rejects: the errors of the result are those of clients. */
  readonly run = async (request: OperationRequest): Promise<Executed> => {
    const prepared = await this.prepare(request);
    return 'run' in prepared ? prepared.run() : prepared;
  };

  /** Decides whether an operation may be executed, and prepares that. Returns the refusal where it may not. Never rejects. */
  async prepare(request: OperationRequest): Promise<PreparedOperation | ExecutionResult> {
    const { sessions, underWay, costs, introspection, results, shutdown } = this.#parts;
    const { report, requester } = request;
    const startedAt = performance.now();
    const observe = <T>(phase: 'session' | 'parse' | 'validate', run: () => T): T =>
      report === null ? run() : report.observe(phase, run);
    let mayReadSchema = true;
    let leave = nothing;
    try {
      const { client, credential } = findSender(requester, sessions);
      leave = underWay.enter(client);
      let sent = request.readSent();
      for (const onParams of this.#onParams) sent = onParams(sent, request);
      const params = readParams(sent);
      const { query, variables = null, operationName = null, onError } = params;

      const session = await observe('session', () =>
        openSession(requester, sessions, report, startedAt, credential),
      );
      mayReadSchema = introspection.isOpenTo(session.caller);
      request.allowance = costs.left(session);
      costs.checkLeft(request.allowance);
      const { schema } = session.served;
      const context = new OperationContext(request, params, session, this.#parts);
      const phases = this.#getPhases(context);

      const document: DocumentNode = observe('parse', () => phases.parse(query));
      if (report !== null) report.chosen = { document, operationName, isTrusted: request.isTrusted === true };
      const errors = observe('validate', () => phases.validate(schema, document));
      if (errors.length > 0)
        return this.#leaveWith(
          leave,
          results.refuse(this.#parts.hints.add(errors, session), request, mayReadSchema),
          request,
        );

      const definition = definitionOf(document, operationName);
      if (report !== null) report.deprecated = findDeprecatedUses(schema, document, operationName);
      request.admit(definition);
      // A stream ends with its connection, after which its client sends the operation again elsewhere.
      if (definition.operation !== OperationTypeNode.SUBSCRIPTION && shutdown.refusal !== null)
        throw shutdown.refusal;

      const operation = {
        schema,
        document,
        operationName,
        variableValues: variables,
        onError: onError ?? 'PROPAGATE',
      };
      introspection.check(session.caller, operation);
      const cost = costs.estimate(operation);
      if (report !== null) report.cost = cost;
      request.estimate = cost;
      costs.check(cost, request.isTrusted === true);
      const isEstimate = wantsEstimate(request, params);
      request.allowance = costs.charge(session, isEstimate ? BASE_COST : cost);

      const contextValue = (await phases.contextFactory()) as unknown as OperationContext;
      const args = { ...operation, contextValue };
      const leaveAtEnd = leave;
      if (isEstimate)
        return { ...args, run: async () => this.#leaveWith(leaveAtEnd, { data: null }, request) };
      const carryOut = () =>
        definition.operation === OperationTypeNode.SUBSCRIPTION
          ? this.#subscribe(args, phases.subscribe, request)
          : this.#execute(args, definition, phases.execute, request, startedAt);
      const admitted = { request, params, schema, document, definition, contextValue, run: this.run };
      return {
        ...args,
        run: () => this.#runAround(admitted, carryOut, mayReadSchema).finally(leaveAtEnd),
      };
    } catch (error) {
      request.onRefusal?.(error);
      return this.#leaveWith(leave, results.refuse([error], request, mayReadSchema), request);
    }
  }

  /** Ends an operation that is not executed. */
  #leaveWith(leave: () => void, result: ExecutionResult, request: OperationRequest): ExecutionResult {
    leave();
    return addCost(result, request);
  }

  /** Carries out an admitted operation, with the hooks of plugins around that. Never rejects. */
  async #runAround(
    operation: AdmittedOperation,
    carryOut: () => Promise<Executed>,
    mayReadSchema: boolean,
  ): Promise<Executed> {
    const { request } = operation;
    const refuseAll = (error: unknown) => this.#parts.results.refuse([error], request, mayReadSchema);
    const runFrom = async (index: number): Promise<Executed> => {
      const hook = this.#onOperation[index];
      try {
        return await (hook === undefined ? carryOut() : hook(operation, () => runFrom(index + 1)));
      } catch (error) {
        return refuseAll(error);
      }
    };
    const result = await runFrom(0);
    return isAsyncIterable(result) ? addCostToFirst(result, request) : addCost(result, request);
  }

  async #execute(
    args: ExecutionArgs & { readonly contextValue: OperationContext },
    { operation: kind }: OperationDefinitionNode,
    executePhase: (args: ExecutionArgs) => Executed | Promise<Executed>,
    request: OperationRequest,
    startedAt: number,
  ): Promise<Executed> {
    const { shutdown, results, limits } = this.#parts;
    // The user's part of the context may have taken its time.
    if (shutdown.refusal !== null) throw shutdown.refusal;
    const endPhase = request.report?.beginPhase('execute');
    const time = kind === OperationTypeNode.MUTATION ? limits.mutationTime : limits.queryTime;
    const endTime = this.#beginTime(args.contextValue, time, startedAt);
    const end = (hasFailed: boolean): void => {
      endTime();
      endPhase?.({ hasFailed });
    };
    try {
      const result = await executePhase(args);
      if (isAsyncIterable(result)) return results.completeParts(result, request, args.contextValue, end);
      end(result.errors !== undefined);
      return results.complete(result, request, args.contextValue);
    } catch (error) {
      end(true);
      const { hasWritten } = args.contextValue.operation;
      throw error instanceof ResultSizeError && hasWritten ? new ResultSizeError(error.limit, true) : error;
    }
  }

  async #subscribe(
    args: ExecutionArgs & { readonly contextValue: OperationContext },
    subscribePhase: (args: ExecutionArgs) => Promise<Executed>,
    request: OperationRequest,
  ): Promise<Executed> {
    const { results, observer } = this.#parts;
    const subscribed = await subscribePhase(args);
    if (!isAsyncIterable(subscribed)) return results.complete(subscribed, request, args.contextValue);
    const end = request.report === null ? undefined : observer.subscription?.(request.report.observed);
    return results.completeEvents(subscribed, request, args.contextValue, end ?? nothing);
  }

  /**
   * Ends an operation when its time is over, in which its session was opened too: what is not finished then is UPSTREAM_TIMEOUT.
   * Returns a function that stops the timer.
   */
  #beginTime({ operation }: OperationContext, time: number, startedAt: number): () => void {
    const { end } = operation;
    const leave = this.#parts.shutdown.enter(end);
    const left = time - (performance.now() - startedAt);
    const timer = setTimeout(() => end.abort(createTimeoutError(time)), Math.max(0, left));
    return () => {
      clearTimeout(timer);
      // What was read early for an object that does not exist is of no use to anybody.
      end.abort(FINISHED);
      leave();
    };
  }

  /** Makes the plugin that stands first in the list, and names the functions around which the others have hooks. */
  #createEngine(): Plugin<OperationContext> {
    const { documents, costs, introspection, limits } = this.#parts;
    const executeWithin = (args: ExecutionArgs) => execute(args, limits.resultSize);
    const executeAny = (args: ExecutionArgs) => introspection.execute(args, executeWithin);
    return {
      onEnveloped: ({ context, setSchema }) => {
        if (context) setSchema(context.session.served.schema);
      },
      onParse: ({ context, setParseFn }) =>
        setParseFn((text: string) => documents.parse(text, () => costs.chargeText(context.session, text))),
      onValidate: ({ setValidationFn }) =>
        setValidationFn(((schema, document, rules) => [
          ...documents.validate(schema, document),
          ...(rules === undefined ? [] : validate(schema, document, rules)),
        ]) satisfies typeof validate),
      onExecute: ({ setExecuteFn }) => setExecuteFn(executeAny),
      onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args) => subscribe(args, executeWithin)),
    };
  }
}

function definitionOf(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  throw refuse('Could not determine what operation to execute.');
}

const createTimeoutError = (time: number): UpstreamTimeoutError =>
  new UpstreamTimeoutError(
    `The operation took more than ${time / 1_000} s. Request fewer rows or fields, or split it.`,
  );
