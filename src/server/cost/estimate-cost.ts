// Estimates how many fields the result of an operation has, before it is executed.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { EstimatedInputs, type SentVariables } from './estimated-inputs.ts';

/** Fields of introspection for one point of cost: graphql-js reads them without a call. Tools read 70,000 for 430 actions. */
const INTROSPECTION_FIELDS = 4;
/** Fields that the estimate visits at most. Introspection tools need 30,000 for an API of 430 actions. */
const MAX_VISITED = 200_000;

/** The estimated cost of an operation. */
export interface CostEstimate {
  /** Fields in the result; infinite when the document is too entangled to estimate. */
  readonly cost: number;
  /** The variables on which the cost depends, with what was sent of them; undefined for nothing. */
  readonly variables: ReadonlyMap<string, unknown>;
}

/**
 * Estimates an operation as graphql-js executes it: fields with the same response name are merged, lists are multiplied by their
 * `first`, and introspection is counted in the schema itself. The work is bounded by the document's length, not by the result's.
 * @param maximum The estimate ends once it is above this cost.
 */
export function estimateCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: SentVariables,
  maximum: number,
): CostEstimate {
  const operation = getOperationAST(document, operationName);
  const root = operation ? schema.getRootType(operation.operation) : undefined;
  if (!operation || !root) return { cost: 0, variables: new Map() };
  const inputs = new EstimatedInputs(operation, variables);
  const estimator = new CostEstimator(schema, document, inputs, maximum);
  const cost = estimator.costOfRoot(root, operation.selectionSet);
  return { cost, variables: inputs.used };
}

/** The selection sets that apply to one object of the result, with what is known of them. */
class Selection {
  readonly sets: readonly SelectionSetNode[];
  /** The fields to count, by the type of the object. */
  readonly fields = new Map<GraphQLCompositeType, readonly SelectedField[]>();
  /** Costs by the part of the schema that introspection describes, or by type and rows. */
  readonly costs = new Map<unknown, number>();

  constructor(sets: readonly SelectionSetNode[]) {
    this.sets = sets;
  }
}

/** What is selected below a field. */
interface Below {
  readonly type: GraphQLCompositeType;
  readonly selection: Selection;
}

/** A field of a selection after its nodes are merged. */
interface SelectedField {
  readonly node: FieldNode;
  /** Undefined for `__typename` and in invalid documents. */
  readonly field: GraphQLField<unknown, unknown> | undefined;
  /** Null for fields without a selection. */
  readonly below: Below | null;
}

class CostEstimator {
  readonly #schema: GraphQLSchema;
  readonly #inputs: EstimatedInputs;
  readonly #maximum: number;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #selections = new Map<string, Selection>();
  #visited = 0;

  constructor(schema: GraphQLSchema, document: DocumentNode, inputs: EstimatedInputs, maximum: number) {
    this.#schema = schema;
    this.#inputs = inputs;
    this.#maximum = maximum;
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
  }

  costOfRoot(type: GraphQLCompositeType, selectionSet: SelectionSetNode): number {
    let sum = 0;
    for (const selected of this.#fieldsOf(this.#select([selectionSet]), type)) {
      sum += this.#costOf(selected, null);
      if (sum > this.#maximum) break;
    }
    // Selections beyond the limit are not counted.
    return this.#visited > MAX_VISITED ? Number.POSITIVE_INFINITY : sum;
  }

  /** Counts each pair of a selection and an object once, however often the pair is reached. */
  #countOnce(
    selection: Selection,
    key: unknown,
    type: GraphQLCompositeType,
    costOf: (selected: SelectedField) => number,
  ): number {
    const known = selection.costs.get(key);
    if (known !== undefined) return known;
    // Only an invalid document reaches a pair while it is being counted.
    selection.costs.set(key, 0);
    let sum = 0;
    for (const selected of this.#fieldsOf(selection, type)) {
      if (!this.#visit()) return Number.POSITIVE_INFINITY;
      sum += costOf(selected);
    }
    selection.costs.set(key, sum);
    return sum;
  }

  /** Counts a visited field. @returns Whether it is within the limit. */
  #visit(): boolean {
    this.#visited += 1;
    return this.#visited <= MAX_VISITED;
  }

  /** @param rows Items in the lists of a connection: its `first`; null for other types. */
  #costOf(selected: SelectedField, rows: number | null): number {
    const { field, below } = selected;
    const known = field?.extensions['cost'];
    if (typeof known === 'number') return known;
    return field === undefined || below === null ? 1 : this.#costBelow(selected.node, field, below, rows);
  }

  #costBelow(
    node: FieldNode,
    field: GraphQLField<unknown, unknown>,
    below: Below,
    rows: number | null,
  ): number {
    if (field === SchemaMetaFieldDef || field === TypeMetaFieldDef)
      return this.#introspect(node, field, below, this.#schema) / INTROSPECTION_FIELDS;
    const items = this.#inputs.itemsOf(field, node);
    const { type, selection } = below;
    const cost = this.#countOnce(selection, `${type.name} ${items}`, type, (selected) =>
      this.#costOf(selected, items),
    );
    if (!isListType(getNullableType(field.type))) return 1 + cost;
    return 1 + cost * (rows ?? this.#inputs.listLength(field, node));
  }

  /** Counts a field of introspection in the schema itself. Such fields only read the schema, so they can be resolved here. */
  #introspect(
    node: FieldNode,
    field: GraphQLField<unknown, unknown>,
    { type, selection }: Below,
    source: object,
  ): number {
    const args = Object.fromEntries(field.args.map((arg) => [arg.name, this.#inputs.valueOf(arg, node)]));
    const value: unknown = field.resolve?.(source, args, null, { schema: this.#schema } as never);
    let sum = 1;
    for (const item of Array.isArray(value) ? value : [value])
      if (typeof item === 'object' && item !== null)
        sum += this.#countOnce(selection, item, type, (selected) =>
          selected.field === undefined || selected.below === null
            ? 1
            : this.#introspect(selected.node, selected.field, selected.below, item),
        );
    return sum;
  }

  #select(sets: readonly SelectionSetNode[]): Selection {
    const key = sets.map((set) => this.#numberOf(set)).join(' ');
    const selection = this.#selections.get(key) ?? new Selection(sets);
    this.#selections.set(key, selection);
    return selection;
  }

  #fieldsOf(selection: Selection, type: GraphQLCompositeType): readonly SelectedField[] {
    const known = selection.fields.get(type);
    if (known !== undefined) return known;
    const fields = [...this.#collect(selection, type).values()].map(({ parent, nodes }) =>
      this.#merge(parent, nodes),
    );
    selection.fields.set(type, fields);
    return fields;
  }

  #merge(parent: GraphQLCompositeType, nodes: readonly [FieldNode, ...FieldNode[]]): SelectedField {
    const [node] = nodes;
    const field = findField(parent, node.name.value);
    const type = field && getNamedType(field.type);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return { node, field, below: isCompositeType(type) ? { type, selection: this.#select(sets) } : null };
  }

  /** Collects fields by response name. On an abstract type, fields of different types stay apart. */
  #collect({ sets }: Selection, type: GraphQLCompositeType) {
    const fields = new Map<string, { parent: GraphQLCompositeType; nodes: [FieldNode, ...FieldNode[]] }>();
    const visited = new Set<string>();
    const collect = (parent: GraphQLCompositeType, { selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (!this.#visit() || this.#inputs.omit(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const name = (selection.alias ?? selection.name).value;
          const key = isAbstractType(type) ? `${parent.name}.${name}` : name;
          const collected = fields.get(key);
          if (collected === undefined) fields.set(key, { parent, nodes: [selection] });
          else collected.nodes.push(selection);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          collect(this.#narrow(parent, selection.typeCondition?.name.value), selection.selectionSet);
        } else {
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment === undefined || visited.has(selection.name.value)) continue;
          visited.add(selection.name.value);
          collect(this.#narrow(parent, fragment.typeCondition.name.value), fragment.selectionSet);
        }
      }
    };
    for (const set of sets) collect(type, set);
    return fields;
  }

  #narrow(parent: GraphQLCompositeType, name: string | undefined): GraphQLCompositeType {
    const type = name === undefined ? undefined : this.#schema.getType(name);
    return isCompositeType(type) ? type : parent;
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, number);
    return number;
  }
}

function findField(parent: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return 'getFields' in parent ? parent.getFields()[name] : undefined;
}
