// Limits the cost of each operation, and of all operations of one client together.
import type { ExecutionArgs, Source } from 'graphql';
import type { WritableHeaders } from '../../transports/http/plain-headers.ts';
import type { ServerContext, ServerPlugin } from '../context.ts';
import { PerDocument } from '../documents/per-document.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { CostLimitError } from '../errors.ts';
import type { CostLimits } from '../limits.ts';
import { type ExecutionStep, refuse } from '../steps/execution-step.ts';
import type { CostBudget } from './cost-budget.ts';
import { estimateCost } from './estimate-cost.ts';

/** Cost of an operation besides its fields: parsing, validation and the response. */
const BASE_COST = 5;
/** Characters of a new document for one point of cost. Validation takes up to half a second for the largest. */
const CHARACTERS = 4;

/**
 * Refuses operations whose estimated cost is above the limit, or whose client has spent its budget, before they are executed. HTTP
 * responses state the budget in the header `RateLimit` (draft-ietf-httpapi-ratelimit-headers). Trusted documents may cost more, and
 * take at most the limit from the budget: the operator has decided about them, and the upstream budget still bounds them.
 */
export class CostLimit {
  readonly #limits: Pick<CostLimits, 'operation'>;
  readonly #budget: CostBudget;
  readonly #trusted: TrustedDocuments;
  /** Costs by operation name; null for a document's only operation. */
  readonly #estimates = new PerDocument(() => new Map<string | null, number>());

  constructor(limits: Pick<CostLimits, 'operation'>, budget: CostBudget, trusted: TrustedDocuments) {
    this.#limits = limits;
    this.#budget = budget;
    this.#trusted = trusted;
  }

  /** Charges queries and mutations. */
  readonly step: ExecutionStep = (execute) => (args) => {
    const refusal = this.charge(args);
    return refusal === null ? execute(args) : refuse(refusal);
  };

  /** Charges new documents, and states what is left. */
  readonly plugin: ServerPlugin = {
    onParse: ({ context, parseFn, setParseFn }) => {
      const { session } = context as ServerContext;
      if (session === undefined) return;
      this.#budget.check(session);
      // Cached documents are not parsed again, so clients pay once for theirs.
      setParseFn((source: string | Source, options?: object) => {
        this.#budget.charge(session, (typeof source === 'string' ? source : source.body).length / CHARACTERS);
        return parseFn(source, options);
      });
    },
    onResponse: ({ serverContext, response }) => stateAllowance(response.headers, serverContext),
  };

  /** Takes the cost of an operation from the budget of its client. Returns the refusal; null for none. */
  charge(args: ExecutionArgs): CostLimitError | null {
    const context = args.contextValue as ServerContext;
    const { report } = context;
    const { operation: limit } = this.#limits;
    const cost = BASE_COST + Math.ceil(this.#estimate(args));
    if (report !== undefined) report.cost = cost;
    if (cost > limit && !this.#trusted.has(args.document)) return new CostLimitError(cost, limit);
    if (context.session === undefined) return null;
    const allowance = this.#budget.charge(context.session, Math.min(cost, limit));
    if (allowance !== undefined) context.allowance = allowance;
    return null;
  }

  #estimate({ schema, document, operationName, variableValues }: ExecutionArgs): number {
    const ofDocument = this.#estimates.get(schema, document);
    // An empty name names no operation; no name means the only one.
    const name = operationName ?? null;
    const known = ofDocument.get(name);
    if (known !== undefined) return known;
    const { operation: limit } = this.#limits;
    const { cost, usesVariables } = estimateCost(
      schema,
      document,
      operationName,
      variableValues ?? {},
      limit,
    );
    // Above the limit, which may be raised later, the estimate is not complete.
    if (!usesVariables && cost <= limit) ofDocument.set(name, cost);
    return cost;
  }
}

/** States what is left of the client's budget in the headers of a response. */
export function stateAllowance(headers: WritableHeaders, { allowance }: ServerContext): void {
  if (allowance === undefined) return;
  headers.set('ratelimit-policy', `"cost";q=${allowance.limit};w=60`);
  headers.set('ratelimit', `"cost";r=${allowance.remaining};t=60`);
}
