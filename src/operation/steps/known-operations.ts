// Prepares operations whose documents have been found valid before, without the hooks of yoga's plugins.
import { type DocumentNode, type ExecutionArgs, getOperationAST } from 'graphql';
import type { Session } from '../../callers/session.ts';
import type { OperationContext, ServerContext } from '../context.ts';
import type { CostBudget } from '../cost/cost-budget.ts';
import { type DocumentCaches, findValid } from '../documents/document-cache.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import type { Executor } from './executor.ts';

/** What known operations are prepared from. */
export interface KnownOperationsOptions {
  readonly documents: TrustedDocuments;
  readonly documentCaches: DocumentCaches;
  readonly costBudget: CostBudget;
  readonly createContext: (initial: ServerContext) => OperationContext | Promise<OperationContext>;
}

/** The parameters of an operation, over any transport. */
export interface OperationParams {
  readonly query?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

/** The context of an operation whose session is open. */
export type OpenContext = ServerContext & { readonly session: Session };

/** Operations that need none of the hooks that read a new document. Plugins of the library's user have hooks of their own. */
export class KnownOperations {
  /** Executes them. */
  readonly executor: Executor;
  readonly #options: KnownOperationsOptions;

  constructor(executor: Executor, options: KnownOperationsOptions) {
    this.executor = executor;
    this.#options = options;
  }

  /** The document of an operation. Null when yoga has to read it, or to refuse it: it is new or invalid, or the client's budget is spent. */
  find(params: OperationParams, { session, report }: OpenContext): DocumentNode | null {
    const { documents, documentCaches, costBudget } = this.#options;
    const { query = '', operationName = null } = params;
    const document = findValid(documentCaches, session.served.schema, query);
    if (document === undefined || !getOperationAST(document, operationName)) return null;
    if (!costBudget.accepts(session)) return null;
    report?.addKnown({ document, operationName, isTrusted: documents.has(document) });
    return document;
  }

  /** Makes the context of an operation, and with it the arguments of its execution. */
  prepare(
    document: DocumentNode,
    params: OperationParams,
    context: OpenContext,
    rootValue?: unknown,
  ): ExecutionArgs | Promise<ExecutionArgs> {
    const { variables, operationName = null } = params;
    const { schema } = context.session.served;
    const variableValues = variables ?? null;
    const withContext = (created: OperationContext): ExecutionArgs => {
      const contextValue = Object.assign(context, created);
      return { schema, document, contextValue, variableValues, operationName, rootValue };
    };
    const created = this.#options.createContext(context);
    return created instanceof Promise ? created.then(withContext) : withContext(created);
  }
}
