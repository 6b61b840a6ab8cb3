// Finds fields that have the same response name and cannot be merged.
import {
  type ASTNode,
  type FieldNode,
  GraphQLError,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import type { Steps, WorkCounter } from '../../../upstream/steps.ts';
import { WorkBudget } from '../document-size.ts';
import {
  FieldCollector,
  FieldComparison,
  type ParentType,
  type SelectedField,
  type SelectedFields,
} from './selected-fields.ts';

/** Comparisons in one document, as in graphql-js: fields and fragments are compared in pairs. They take up to half a second. */
const MAX_COMPARISONS = 500_000;
/** Conflicts below a field, and in a selection set, that can reach the client. */
const MAX_CONFLICTS = 100;
/** Characters of the message about conflicts below a field. */
const MAX_MESSAGE = 1_000;
/** Nodes of each of two fields whose places an error has. */
const MAX_NODES = 20;

/** Two fields that cannot be merged. */
interface Conflict {
  readonly responseName: string;
  readonly reason: string;
  /** The first field, and fields below it. */
  readonly nodes: readonly FieldNode[];
  readonly otherNodes: readonly FieldNode[];
}

/**
 * Reports fields that cannot be merged, as `OverlappingFieldsCanBeMergedRule` of graphql-js does, with the same algorithm and the same
 * bound of work. That one compares all fields of a selection set in one step, which takes up to a third of a second.
 */
export class FieldConflicts {
  readonly #context: ValidationContext;
  readonly #work: WorkCounter;
  readonly #budget: WorkBudget;
  readonly #collector: FieldCollector;
  readonly #comparison: FieldComparison;
  /** Whether two fragments have been compared for mutually exclusive parents only, by their names. */
  readonly #comparedFragments = new Map<string, Map<string, boolean>>();

  constructor(context: ValidationContext, work: WorkCounter) {
    this.#context = context;
    this.#work = work;
    this.#budget = new WorkBudget(MAX_COMPARISONS, work);
    this.#comparison = new FieldComparison(this.#budget);
    this.#collector = new FieldCollector(context);
  }

  /** Reports the conflicts of a selection set that is being visited. Undefined when it can have none. */
  reportIn(selectionSet: SelectionSetNode, parent: ASTNode | readonly ASTNode[] | undefined) {
    // Inline fragments are a part of the selection set around them.
    if (parent && 'kind' in parent && parent.kind === Kind.INLINE_FRAGMENT) return undefined;
    const { selections } = selectionSet;
    if (selections.length <= 1 && selections[0]?.kind !== Kind.INLINE_FRAGMENT) return undefined;
    return this.#report(this.#context.getParentType(), selectionSet);
  }

  *#report(parentType: ParentType, selectionSet: SelectionSetNode): Steps<void> {
    const conflicts: Conflict[] = [];
    const selected = this.#collector.collect(parentType, selectionSet);
    for (const [responseName, fields] of selected.byResponseName)
      for (const [index, field] of fields.length > 1 ? fields.entries() : [])
        yield* this.#compareField(field, fields, index + 1, responseName, false, conflicts);
    const fragments = [...selected.fragments];
    if (selected.byResponseName.size > 0 || fragments.length > 1)
      for (const [index, fragment] of fragments.entries()) {
        if (this.#beginFragment(selected, fragment, false))
          yield* this.#compareWithFragment(selected, fragment, false, conflicts);
        for (const other of fragments.slice(index + 1))
          if (this.#beginFragments(fragment, other, false))
            yield* this.#compareFragments(fragment, other, false, conflicts);
      }
    for (const { responseName, reason, nodes, otherNodes } of conflicts) {
      const message = `Fields "${responseName}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`;
      this.#context.reportError(new GraphQLError(message, { nodes: [...nodes, ...otherNodes] }));
    }
  }

  /** Compares the fields of a selection set with those of a fragment and of all that it spreads. */
  *#compareWithFragment(
    selected: SelectedFields,
    name: string,
    areExclusive: boolean,
    conflicts: Conflict[],
  ): Steps<void> {
    if (this.#work.endsStep()) yield;
    const fragment = this.#context.getFragment(name);
    if (!fragment) return;
    const others = this.#collector.collectFragment(fragment);
    if (selected === others) return;
    yield* this.#compareSelected(selected, others, areExclusive, conflicts);
    for (const spread of others.fragments)
      if (this.#beginFragment(selected, spread, areExclusive))
        yield* this.#compareWithFragment(selected, spread, areExclusive, conflicts);
  }

  /** Compares the fields of two fragments and of all that they spread. */
  *#compareFragments(
    name: string,
    otherName: string,
    areExclusive: boolean,
    conflicts: Conflict[],
  ): Steps<void> {
    if (this.#work.endsStep()) yield;
    const fragment = this.#context.getFragment(name);
    const other = this.#context.getFragment(otherName);
    if (!fragment || !other) return;
    const selected = this.#collector.collectFragment(fragment);
    const others = this.#collector.collectFragment(other);
    yield* this.#compareSelected(selected, others, areExclusive, conflicts);
    for (const spread of others.fragments)
      if (this.#beginFragments(name, spread, areExclusive))
        yield* this.#compareFragments(name, spread, areExclusive, conflicts);
    for (const spread of selected.fragments)
      if (this.#beginFragments(spread, otherName, areExclusive))
        yield* this.#compareFragments(spread, otherName, areExclusive, conflicts);
  }

  /** Whether fields are still to be compared with those of a fragment; remembers that they are. */
  #beginFragment(selected: SelectedFields, name: string, areExclusive: boolean): boolean {
    this.#budget.spend(1);
    if (selected.byResponseName.size === 0 || includes(selected.compared.get(name), areExclusive))
      return false;
    selected.compared.set(name, areExclusive);
    return true;
  }

  /** Whether two fragments are still to be compared; remembers that they are. */
  #beginFragments(name: string, otherName: string, areExclusive: boolean): boolean {
    this.#budget.spend(2);
    if (name === otherName) return false;
    const compared = this.#comparedFragments.get(name);
    if (includes(compared?.get(otherName), areExclusive)) return false;
    if (includes(this.#comparedFragments.get(otherName)?.get(name), areExclusive)) return false;
    if (compared === undefined) this.#comparedFragments.set(name, new Map([[otherName, areExclusive]]));
    else compared.set(otherName, areExclusive);
    return true;
  }

  *#compareSelected(
    selected: SelectedFields,
    others: SelectedFields,
    areExclusive: boolean,
    conflicts: Conflict[],
  ): Steps<void> {
    if (selected.byResponseName.size === 0 || others.byResponseName.size === 0) return;
    for (const overlap of selected.overlapsWith(others, this.#budget))
      for (const field of overlap.fields)
        yield* this.#compareField(field, overlap.others, 0, overlap.responseName, areExclusive, conflicts);
  }

  /** Compares a field with others of its response name, beginning with the one at a place. */
  *#compareField(
    field: SelectedField,
    others: readonly SelectedField[],
    from: number,
    responseName: string,
    haveExclusiveParents: boolean,
    conflicts: Conflict[],
  ): Steps<void> {
    for (let index = from; index < others.length; index += 1) {
      const other = others[index];
      if (other === undefined) continue;
      const areExclusive = haveExclusiveParents || haveDifferentObjects(field, other);
      this.#budget.spend(2);
      if (this.#work.endsStep()) yield;
      const reason = this.#comparison.differenceOf(field, other, areExclusive);
      const { node } = field;
      if (reason !== null) add(conflicts, { responseName, reason, nodes: [node], otherNodes: [other.node] });
      else if (node.selectionSet && other.node.selectionSet) {
        const below = yield* this.#compareBelow(
          field,
          node.selectionSet,
          other,
          other.node.selectionSet,
          areExclusive,
        );
        if (below.length > 0) add(conflicts, summarize(below, responseName, node, other.node));
      }
    }
  }

  *#compareBelow(
    field: SelectedField,
    selectionSet: SelectionSetNode,
    other: SelectedField,
    otherSet: SelectionSetNode,
    areExclusive: boolean,
  ): Steps<readonly Conflict[]> {
    const conflicts: Conflict[] = [];
    const selected = this.#collector.collect(getNamedType(field.definition?.type), selectionSet);
    const others = this.#collector.collect(getNamedType(other.definition?.type), otherSet);
    yield* this.#compareSelected(selected, others, areExclusive, conflicts);
    for (const name of others.fragments)
      if (this.#beginFragment(selected, name, areExclusive))
        yield* this.#compareWithFragment(selected, name, areExclusive, conflicts);
    for (const name of selected.fragments)
      if (this.#beginFragment(others, name, areExclusive))
        yield* this.#compareWithFragment(others, name, areExclusive, conflicts);
    for (const name of selected.fragments)
      for (const otherName of others.fragments)
        if (this.#beginFragments(name, otherName, areExclusive))
          yield* this.#compareFragments(name, otherName, areExclusive, conflicts);
    return conflicts;
  }
}

/**
 * Whether an earlier comparison makes another one needless.
 * @param compared Whether the earlier one was for exclusive parents only. Undefined: there was none.
 */
const includes = (compared: boolean | undefined, areExclusive: boolean): boolean =>
  compared === false || (areExclusive && compared === true);

/** Whether no object has two fields, because their parents are different types of objects. */
const haveDifferentObjects = (field: SelectedField, other: SelectedField): boolean =>
  field.parentType !== other.parentType && isObjectType(field.parentType) && isObjectType(other.parentType);

function add(conflicts: Conflict[], conflict: Conflict): void {
  if (conflicts.length < MAX_CONFLICTS) conflicts.push(conflict);
}

/** Makes one conflict of those below two fields. */
function summarize(
  below: readonly Conflict[],
  responseName: string,
  node: FieldNode,
  otherNode: FieldNode,
): Conflict {
  let reason = '';
  for (const conflict of below) {
    reason += `${reason === '' ? '' : ' and '}subfields "${conflict.responseName}" conflict because ${conflict.reason}`;
    if (reason.length > MAX_MESSAGE) break;
  }
  return {
    responseName,
    reason: reason.length > MAX_MESSAGE ? `${reason.slice(0, MAX_MESSAGE)}...` : reason,
    nodes: locate(
      node,
      below.map(({ nodes }) => nodes),
    ),
    otherNodes: locate(
      otherNode,
      below.map(({ otherNodes }) => otherNodes),
    ),
  };
}

/** The nodes of a field and of conflicts below it. Where there are too many, the deepest count most. */
function locate(node: FieldNode, below: readonly (readonly FieldNode[])[]): readonly FieldNode[] {
  const nodes = [node];
  for (const found of below) {
    if (nodes.length === MAX_NODES) break;
    nodes.push(...found.slice(nodes.length - MAX_NODES));
  }
  return nodes;
}
