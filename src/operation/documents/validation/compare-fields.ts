// Compares two fields that have the same response name.
import {
  type ArgumentNode,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type ValueNode,
} from 'graphql';
import type { SelectedField } from './selected-fields.ts';
import type { WorkBudget } from './work-budget.ts';

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
