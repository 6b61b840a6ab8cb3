// Calls the rules of a validation for each node.
import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  getEnterLeaveForKind,
  Kind,
  type TypeInfo,
} from 'graphql';
import type { Steps } from '../../../upstream/steps.ts';
import type { FieldConflicts } from './field-conflicts.ts';
import type { NodeVisitor, VisitedNode } from './visit-document.ts';

/** The function of a rule for nodes of one kind. */
interface Handler {
  /** Place of the rule among the rules. */
  readonly rule: number;
  readonly handle: ASTVisitFn<ASTNode>;
}

interface Handlers {
  readonly enter: readonly Handler[];
  readonly leave: readonly Handler[];
}

/**
 * Visits nodes with many rules at once, as `visitInParallel` of graphql-js does. That one prepares each kind of node for each rule, which
 * takes longer than the validation of a usual document, and asks all rules at each node.
 */
export class RuleVisitor implements NodeVisitor {
  readonly #types: TypeInfo;
  readonly #rules: readonly ASTVisitor[];
  readonly #conflicts: FieldConflicts;
  readonly #handlers = new Map<Kind, Handlers>();
  /** By rule, the node below which it visits nothing. */
  readonly #skipped: (ASTNode | undefined)[] = [];
  /** The rules that skip, in the order in which they began to. */
  readonly #skipping: number[] = [];

  constructor(types: TypeInfo, rules: readonly ASTVisitor[], conflicts: FieldConflicts) {
    this.#types = types;
    this.#rules = rules;
    this.#conflicts = conflicts;
  }

  enter(...visited: VisitedNode): Steps<void> | undefined {
    const [node, , parent] = visited;
    this.#types.enter(node);
    for (const { rule, handle } of this.#handlersOf(node.kind).enter) {
      if (this.#skipped[rule] !== undefined || handle(...visited) !== false) continue;
      this.#skipped[rule] = node;
      this.#skipping.push(rule);
    }
    if (node.kind !== Kind.SELECTION_SET) return undefined;
    return this.#conflicts.reportIn(node, parent);
  }

  leave(...visited: VisitedNode): void {
    const [node] = visited;
    for (const { rule, handle } of this.#handlersOf(node.kind).leave)
      if (this.#skipped[rule] === undefined) handle(...visited);
    for (
      let rule = this.#skipping.at(-1);
      rule !== undefined && this.#skipped[rule] === node;
      rule = this.#skipping.at(-1)
    ) {
      this.#skipped[rule] = undefined;
      this.#skipping.pop();
    }
    this.#types.leave(node);
  }

  #handlersOf(kind: Kind): Handlers {
    const known = this.#handlers.get(kind);
    if (known !== undefined) return known;
    const enter: Handler[] = [];
    const leave: Handler[] = [];
    for (const [rule, visitor] of this.#rules.entries()) {
      const handlers = getEnterLeaveForKind(visitor, kind);
      if (handlers.enter !== undefined) enter.push({ rule, handle: handlers.enter });
      if (handlers.leave !== undefined) leave.push({ rule, handle: handlers.leave });
    }
    const handlers = { enter, leave };
    this.#handlers.set(kind, handlers);
    return handlers;
  }
}
