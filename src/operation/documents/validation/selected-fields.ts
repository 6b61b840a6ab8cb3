// Collects the fields of selection sets by response name, and compares those that have the same.
import {
  type ArgumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type ObjectFieldNode,
  type SelectionSetNode,
  typeFromAST,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import type { WorkBudget } from '../document-size.ts';

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

/** Compares the fields of one document. */
export class FieldComparison {
  readonly #budget: WorkBudget;
  /** The texts of values, which are compared many times. */
  readonly #texts = new Map<ValueNode, string>();

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  /**
   * Says why two fields cannot be merged, without what is selected below them; null when they can.
   * @param areExclusive Whether no object has both, so that they may differ in more than their types.
   */
  differenceOf(one: SelectedField, other: SelectedField, areExclusive: boolean): string | null {
    const type = one.definition?.type;
    const otherType = other.definition?.type;
    const { name, arguments: args } = one.node;
    const { name: otherName, arguments: otherArgs } = other.node;
    // Most pairs are the same field.
    if (one.isPlain && other.isPlain && type === otherType && name.value === otherName.value) return null;
    if (!areExclusive) {
      if (name.value !== otherName.value)
        return `"${name.value}" and "${otherName.value}" are different fields`;
      if (!this.#haveSameValues(args ?? [], otherArgs ?? [])) return 'they have differing arguments';
    }
    if (type && otherType && this.#doTypesConflict(type, otherType))
      return `they return conflicting types "${type}" and "${otherType}"`;
    return null;
  }

  #haveSameValues(args: readonly ArgumentNode[], others: readonly ArgumentNode[]): boolean {
    if (args.length === 0) return others.length === 0;
    if (args.length !== others.length) return false;
    const values = new Map(others.map(({ name, value }) => [name.value, value]));
    return args.every(({ name, value }) => {
      this.#budget.spend(1);
      const other = values.get(name.value);
      return other !== undefined && this.#textOf(value) === this.#textOf(other);
    });
  }

  #textOf(value: ValueNode): string {
    let text = this.#texts.get(value);
    if (text === undefined) {
      text = writeValue(value);
      this.#texts.set(value, text);
    }
    return text;
  }

  /** Composite types may differ: what is selected below them is compared. */
  #doTypesConflict(type: GraphQLOutputType, other: GraphQLOutputType): boolean {
    if (type === other) return false;
    this.#budget.spend(1);
    for (const isWrapped of [isListType, isNonNullType])
      if (isWrapped(type) || isWrapped(other))
        return !(isWrapped(type) && isWrapped(other)) || this.#doTypesConflict(type.ofType, other.ofType);
    return isLeafType(type) || isLeafType(other);
  }
}

/** Writes a value as a text that equal values have, whatever the order of the fields of objects. */
function writeValue(value: ValueNode): string {
  if (value.kind === Kind.VARIABLE) return `$${value.name.value}`;
  if (value.kind === Kind.LIST) return `[${value.values.map(writeValue).join()}]`;
  if (value.kind === Kind.OBJECT) return `{${[...value.fields].sort(byName).map(writeField).join()}}`;
  if (value.kind === Kind.STRING) return `${value.block === true}${JSON.stringify(value.value)}`;
  return value.kind === Kind.NULL ? value.kind : `${value.kind} ${value.value}`;
}

const writeField = ({ name, value }: ObjectFieldNode): string => `${name.value}:${writeValue(value)}`;

const byName = (one: ObjectFieldNode, other: ObjectFieldNode): number =>
  one.name.value < other.name.value ? -1 : Number(one.name.value > other.name.value);
