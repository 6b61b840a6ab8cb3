// Collects the fields of selection sets by response name.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
  type ValidationContext,
} from 'graphql';
import type { WorkBudget } from './work-budget.ts';

/** The type of the objects of a selection set; undefined in invalid documents. */
export type ParentType = GraphQLType | null | undefined;

/** One node of a field. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly parentType: ParentType;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Whether it has neither arguments nor a selection. */
  readonly isPlain: boolean;
}

/** Fields of one response name in two selection sets. */
export interface Overlap {
  readonly responseName: string;
  readonly fields: readonly SelectedField[];
  readonly others: readonly SelectedField[];
}

/** What a selection set selects, inline fragments included. */
export class SelectedFields {
  readonly byResponseName = new Map<string, SelectedField[]>();
  /** Names of the fragments that it spreads. */
  readonly fragments = new Set<string>();
  /** The fragments with whose fields these have been compared, and whether all pairs were taken for mutually exclusive. */
  readonly compared = new Map<string, boolean>();
  readonly #overlaps = new Map<SelectedFields, readonly Overlap[]>();

  /** The response names of two selection sets. */
  overlapsWith(others: SelectedFields, budget: WorkBudget): readonly Overlap[] {
    const known = this.#overlaps.get(others);
    if (known !== undefined) return known;
    const overlaps: Overlap[] = [];
    for (const [responseName, fields] of this.byResponseName) {
      budget.spend(1);
      const same = others.byResponseName.get(responseName);
      if (same !== undefined) overlaps.push({ responseName, fields, others: same });
    }
    this.#overlaps.set(others, overlaps);
    return overlaps;
  }
}

/** Collects the fields of each selection set once. */
export class FieldCollector {
  readonly #context: ValidationContext;
  readonly #collected = new Map<ParentType, Map<SelectionSetNode, SelectedFields>>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  /** The fields of a selection set for objects of a type. */
  collect(parentType: ParentType, selectionSet: SelectionSetNode): SelectedFields {
    let ofType = this.#collected.get(parentType);
    if (ofType === undefined) {
      ofType = new Map();
      this.#collected.set(parentType, ofType);
    }
    let selected = ofType.get(selectionSet);
    if (selected === undefined) {
      selected = new SelectedFields();
      this.#add(selected, parentType, selectionSet);
      ofType.set(selectionSet, selected);
    }
    return selected;
  }

  /** The fields of a fragment. */
  collectFragment({ typeCondition, selectionSet }: FragmentDefinitionNode): SelectedFields {
    return this.collect(typeFromAST(this.#context.getSchema(), typeCondition), selectionSet);
  }

  #add(selected: SelectedFields, parentType: ParentType, { selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) selected.fragments.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition, selectionSet } = selection;
        const type = typeCondition ? typeFromAST(this.#context.getSchema(), typeCondition) : parentType;
        this.#add(selected, type, selectionSet);
      } else {
        const responseName = (selection.alias ?? selection.name).value;
        const same = selected.byResponseName.get(responseName);
        const field = selectField(selection, parentType);
        if (same === undefined) selected.byResponseName.set(responseName, [field]);
        else same.push(field);
      }
    }
  }
}

function selectField(node: FieldNode, parentType: ParentType): SelectedField {
  const hasFields = isObjectType(parentType) || isInterfaceType(parentType);
  return {
    node,
    parentType,
    definition: hasFields ? parentType.getFields()[node.name.value] : undefined,
    isPlain: (node.arguments?.length ?? 0) === 0 && node.selectionSet === undefined,
  };
}
