// Limits the cost of each operation, and of all operations of one client together.
import type { ExecutionArgs } from 'graphql';
import type { Session } from '../../callers/session.ts';
import { PerDocument } from '../documents/per-document.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { CostLimitError } from '../errors.ts';
import type { CostLimits } from '../limits.ts';
import type { OperationReport } from '../reports/operation-report.ts';
import type { Allowance, CostBudget } from './cost-budget.ts';
import { estimateCost } from './estimate-cost.ts';

/** Cost of an operation besides its fields: parsing, validation and the response. */
const BASE_COST = 5;
/** Characters of a new document for one point of cost. Validation takes up to half a second for the largest. */
const CHARACTERS = 4;

/** What the estimate needs of an operation. */
type CostlyOperation = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'>;

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

  /** @throws TooManyRequestsError when the client has spent its budget. */
  check(session: Session): void {
    this.#budget.check(session);
  }

  /** Takes the cost of a document that has to be parsed. Clients pay for theirs once, as long as it is kept. */
  chargeText(session: Session, text: string): void {
    this.#budget.charge(session, text.length / CHARACTERS);
  }

  /**
   * Takes the cost of an operation from the budget of its client. Returns what is left; null when the client is unknown.
   * @throws CostLimitError when the cost is above the limit.
   */
  charge(session: Session, operation: CostlyOperation, report: OperationReport | null): Allowance | null {
    const { operation: limit } = this.#limits;
    const cost = BASE_COST + Math.ceil(this.#estimate(operation));
    if (report !== null) report.cost = cost;
    if (cost > limit && !this.#trusted.has(operation.document)) throw new CostLimitError(cost, limit);
    return this.#budget.charge(session, Math.min(cost, limit)) ?? null;
  }

  #estimate({ schema, document, operationName, variableValues }: CostlyOperation): number {
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
