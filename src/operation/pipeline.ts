// The road of each operation, over any transport, in the order in which things happen.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import { openSession, type Session, type SessionSource } from '../callers/session.ts';
import { type ContextSource, createContext, type OperationContext } from './context.ts';
import type { CostLimit } from './cost/cost-limit.ts';
import type { Documents } from './documents/documents.ts';
import type { RightsHints } from './documents/rights-hints.ts';
import type { TrustedDocuments } from './documents/trusted-documents.ts';
import { PlannedExecution } from './execution/planned-execution.ts';
import { executeIncrementally } from './incremental/incremental-delivery.ts';
import { findIncrementalDirectives } from './incremental/incremental-directives.ts';
import { type OperationParams, type OperationRequest, readParams } from './operation-request.ts';
import { type ExecutionParts, PreparedOperation } from './prepared-operation.ts';
import { chooseUnread, type OperationReport } from './reports/operation-report.ts';
import { subscribe } from './subscription.ts';
import type { Executed, Phases, UserPlugins } from './user-plugins.ts';

/** What the operations of a facade need, each part for one step. */
export interface PipelineParts extends ExecutionParts, ContextSource {
  readonly trusted: TrustedDocuments;
  readonly sessions: SessionSource;
  readonly documents: Documents;
  readonly hints: RightsHints;
  readonly costs: CostLimit;
  /** The plugins of the library's user; null for none. */
  readonly plugins: UserPlugins | null;
}

/** Carries out operations. Each transport calls it, and nothing else executes one. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #execution = new PlannedExecution(
    (context) => (context as OperationContext).session.requester.leaving,
  );

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Prepares an operation and executes it. Never rejects: the errors of the result are those of clients. */
  async run(request: OperationRequest): Promise<Executed> {
    const prepared = await this.prepare(request);
    return prepared instanceof PreparedOperation ? prepared.run() : prepared;
  }

  /** Decides whether an operation may be executed, and prepares that. Returns the refusal where it may not. Never rejects. */
  async prepare(request: OperationRequest): Promise<PreparedOperation | ExecutionResult> {
    const { trusted, hints, introspection, costs, shutdown, results } = this.#parts;
    const { report } = request;
    let mayReadSchema = true;
    try {
      const params = readParams(trusted.resolve(request.readSent()));
      const { query, variables = null, operationName = null } = params;

      const session = await this.#openSession(request, params);
      mayReadSchema = introspection.isOpenTo(session.caller);
      const phases = this.#phasesOf(request, params, session);

      trusted.check(query);
      costs.check(session);
      const document = asStep(report, 'parse', () => phases.parse(query));
      if (report !== null) report.chosen = { document, operationName, isTrusted: trusted.has(document) };

      const { schema } = phases;
      const errors = asStep(report, 'validate', () => phases.validate(schema, document));
      if (errors.length > 0)
        return results.refuse(hints.add(errors, document, session), request, mayReadSchema);

      const kind = kindOf(document, operationName);
      request.admit(kind);
      // A subscription ends with its connection, after which its client subscribes again elsewhere.
      if (kind !== OperationTypeNode.SUBSCRIPTION && shutdown.refusal !== null) throw shutdown.refusal;

      const operation = { schema, document, operationName, variableValues: variables };
      introspection.check(session.caller, operation);
      // What is kept costs nothing.
      if (introspection.find(operation) === undefined)
        request.allowance = costs.charge(session, operation, report);

      const contextValue = await phases.createContext();
      return new PreparedOperation(operation, contextValue, kind, request, phases, this.#parts);
    } catch (error) {
      request.onRefusal?.(error);
      return results.refuse([error], request, mayReadSchema);
    }
  }

  async #openSession({ requester, report }: OperationRequest, params: OperationParams): Promise<Session> {
    const end = report?.beginStep('session');
    try {
      const session = await openSession(requester, this.#parts.sessions, report);
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
  #phasesOf(
    { acceptsParts, report, requester }: OperationRequest,
    params: OperationParams,
    session: Session,
  ): Phases {
    const { documents, costs, introspection, plugins } = this.#parts;
    const { execute } = this.#execution;
    const own: Phases = {
      schema: session.served.schema,
      parse: (text) => documents.parse(text, () => costs.chargeText(session, text)),
      validate: (schema, document) => documents.validate(schema, document),
      createContext: () => createContext(session, report, this.#parts),
      execute: (args) =>
        acceptsParts && findIncrementalDirectives(args.document).length > 0
          ? executeIncrementally(args)
          : introspection.execute(args, execute),
      subscribe: (args, handling) => subscribe(args, execute, handling),
    };
    return plugins === null ? own : plugins.around(own, { session, params, header: requester.header });
  }
}

/** Runs a step, and reports it. */
function asStep<T>(report: OperationReport | null, step: 'parse' | 'validate', run: () => T): T {
  const end = report?.beginStep(step);
  let hasFailed = true;
  try {
    const result = run();
    hasFailed = Array.isArray(result) && result.length > 0;
    return result;
  } finally {
    end?.({ hasFailed });
  }
}

function kindOf(document: DocumentNode, operationName: ExecutionArgs['operationName']): OperationTypeNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation.operation;
  throw new GraphQLError('Could not determine what operation to execute.', {
    extensions: { http: { status: 400 } },
  });
}
