// Visits the nodes of a document in the order of `visit` of graphql-js, in steps, with all rules of a validation.
import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  getEnterLeaveForKind,
  Kind,
  type TypeInfo,
} from 'graphql';
import { QueryDocumentKeys } from 'graphql/language/ast.js';
import type { Steps, WorkCounter } from '../../../upstream/steps.ts';
import type { FieldConflicts } from './field-conflicts.ts';

/** A node, its key, what is above it, and the keys and nodes from the root: the arguments of visitors of graphql-js. */
export type VisitedNode = Parameters<ASTVisitFn<ASTNode>>;

/** Is called before and after the nodes below each node. */
export interface NodeVisitor {
  /** May return steps, which come before the nodes below. */
  enter(...visited: VisitedNode): Steps<void> | undefined;
  leave?(...visited: VisitedNode): void;
}

/** Units of work for a node, with all rules. */
const NODE_WORK = 8;

/** Names and descriptions have nothing to validate. */
const SKIPPED_KEYS: ReadonlySet<string> = new Set(['alias', 'description', 'name']);

const KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(QueryDocumentKeys).map(([kind, keys]) => [
    kind,
    keys.filter((key) => !SKIPPED_KEYS.has(key)),
  ]),
);

type NodeOrList = ASTNode | readonly ASTNode[];

/** A node or a list, while what is below it is visited. */
interface Level {
  readonly node: NodeOrList;
  /** Its own key. */
  readonly key: string | number | undefined;
  readonly above: Level | null;
  /** Null for a list, whose keys are numbers. */
  readonly keys: readonly string[] | null;
  readonly length: number;
  /** Place of the key that is visited next. */
  next: number;
}

/** Visits a node and all nodes below it, except names and descriptions. */
export function* visitInSteps(root: ASTNode, visitor: NodeVisitor, work: WorkCounter): Steps<void> {
  const path: (string | number)[] = [];
  const ancestors: NodeOrList[] = [];
  const begun = visitor.enter(root, undefined, undefined, path, ancestors);
  if (begun !== undefined) yield* begun;
  let level: Level | null = openLevel(root, undefined, null);
  while (level !== null) {
    const { node: parent, keys } = level;
    if (level.next === level.length) {
      ancestors.pop();
      if (!isList(parent)) visitor.leave?.(parent, level.key, level.above?.node, path, ancestors);
      path.pop();
      level = level.above;
      continue;
    }
    const key: string | number = keys?.[level.next] ?? level.next;
    level.next += 1;
    const node: NodeOrList | undefined = (parent as unknown as Record<string | number, NodeOrList>)[key];
    if (node === undefined) continue;
    path.push(key);
    if (!isList(node)) {
      work.add(NODE_WORK);
      if (work.endsStep()) yield;
      const steps = visitor.enter(node, key, parent, path, ancestors);
      if (steps !== undefined) yield* steps;
    }
    ancestors.push(parent);
    level = openLevel(node, key, level);
  }
}

const isList = (node: NodeOrList): node is readonly ASTNode[] => Array.isArray(node);

function openLevel(node: NodeOrList, key: Level['key'], above: Level | null): Level {
  const keys = isList(node) ? null : (KEYS.get(node.kind) ?? []);
  return { node, key, above, keys, length: isList(node) ? node.length : (keys?.length ?? 0), next: 0 };
}

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
