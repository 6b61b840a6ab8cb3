// Estimates how many fields the result of an operation has, before it is executed.
import {
  type ConstValueNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';

/** Fields of introspection for one point of cost: graphql-js reads them without a call. Tools read 70,000 for 430 actions. */
const INTROSPECTION_FIELDS = 4;
/** Items expected in a list whose length no argument bounds: as many as in a page of default size. */
const UNBOUNDED_ITEMS = 25;
/** Largest `first` that is multiplied; the field itself rejects larger ones. */
const MAX_ITEMS = 1000;
/** Fields that the estimate visits at most. Introspection tools need 30,000 for an API of 430 actions. */
const MAX_STEPS = 200_000;

/** The estimated cost of an operation. */
export interface CostEstimate {
  /** Fields in the result; infinite when the document is too entangled to estimate. */
  readonly cost: number;
  /** Whether the cost depends on the values of variables. */
  readonly usesVariables: boolean;
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
  variables: Readonly<Record<string, unknown>>,
  maximum: number,
): CostEstimate {
  const operation = getOperationAST(document, operationName);
  const root = operation ? schema.getRootType(operation.operation) : undefined;
  if (!operation || !root) return { cost: 0, usesVariables: false };
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? [])
    if (defaultValue !== undefined) defaults[variable.name.value] = readLiteral(defaultValue);
  const estimator = new CostEstimator(schema, document, { ...defaults, ...variables }, maximum);
  const cost = estimator.costOfRoot(root, operation.selectionSet);
  return { cost, usesVariables: estimator.usesVariables };
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

/** A field of a selection after its nodes are merged. */
interface SelectedField {
  readonly node: FieldNode;
  /** Undefined for `__typename` and in invalid documents. */
  readonly field: GraphQLField<unknown, unknown> | undefined;
  /** Null for fields without a selection. */
  readonly below: { readonly type: GraphQLCompositeType; readonly selection: Selection } | null;
}

class CostEstimator {
  usesVariables = false;
  readonly #schema: GraphQLSchema;
  readonly #maximum: number;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #selections = new Map<string, Selection>();
  #steps = 0;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    variables: Readonly<Record<string, unknown>>,
    maximum: number,
  ) {
    this.#schema = schema;
    this.#variables = variables;
    this.#maximum = maximum;
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
  }

  costOfRoot(type: GraphQLCompositeType, selectionSet: SelectionSetNode): number {
    let cost = 0;
    for (const selected of this.#fieldsOf(this.#select([selectionSet]), type)) {
      cost += this.#fieldCost(selected, null);
      if (cost > this.#maximum) break;
    }
    // Selections beyond the limit are not counted.
    return this.#steps > MAX_STEPS ? Number.POSITIVE_INFINITY : cost;
  }

  /** @param rows Items in the lists of a connection: its `first`; null for other types. */
  #costOf(type: GraphQLCompositeType, selection: Selection, rows: number | null): number {
    const key = `${type.name} ${rows}`;
    return this.#countOnce(selection, key, type, (selected) => this.#fieldCost(selected, rows));
  }

  /** Counts each pair of a selection and an object once, however often the pair is reached. */
  #countOnce(
    selection: Selection,
    key: unknown,
    type: GraphQLCompositeType,
    count: (selected: SelectedField) => number,
  ): number {
    const known = selection.costs.get(key);
    if (known !== undefined) return known;
    // Only an invalid document reaches a pair while it is being counted.
    selection.costs.set(key, 0);
    let cost = 0;
    for (const selected of this.#fieldsOf(selection, type)) {
      this.#steps += 1;
      if (this.#steps > MAX_STEPS) return Number.POSITIVE_INFINITY;
      cost += count(selected);
    }
    selection.costs.set(key, cost);
    return cost;
  }

  #fieldCost(selected: SelectedField, rows: number | null): number {
    const { node, field, below } = selected;
    const known = field?.extensions['cost'];
    if (typeof known === 'number') return known;
    if (field === undefined || below === null) return 1;
    if (field === SchemaMetaFieldDef || field === TypeMetaFieldDef)
      return this.#introspect(selected, this.#schema) / INTROSPECTION_FIELDS;
    const first = field.args.find(({ name }) => name === 'first');
    const cost = this.#costOf(below.type, below.selection, first ? this.#itemsOf(first, node) : null);
    if (!isListType(getNullableType(field.type))) return 1 + cost;
    return 1 + cost * (rows ?? this.#listLength(field, node));
  }

  /** Counts a field of introspection in the schema itself. Such fields only read the schema, so they can be resolved here. */
  #introspect({ node, field, below }: SelectedField, source: object): number {
    if (field === undefined || below === null) return 1;
    const args = Object.fromEntries(field.args.map((arg) => [arg.name, this.#valueOf(arg, node)]));
    const value: unknown = field.resolve?.(source, args, null, { schema: this.#schema } as never);
    const { type, selection } = below;
    let cost = 1;
    for (const item of Array.isArray(value) ? value : [value])
      if (typeof item === 'object' && item !== null)
        cost += this.#countOnce(selection, item, type, (selected) => this.#introspect(selected, item));
    return cost;
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
        this.#steps += 1;
        if (this.#steps > MAX_STEPS || this.#isSkipped(selection)) continue;
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

  #isSkipped({ directives = [] }: SelectionNode): boolean {
    if (directives.length === 0) return false;
    this.usesVariables = true;
    try {
      const skip = getDirectiveValues(GraphQLSkipDirective, { directives }, this.#variables);
      const include = getDirectiveValues(GraphQLIncludeDirective, { directives }, this.#variables);
      return skip?.['if'] === true || include?.['if'] === false;
    } catch {
      // Execution reports the missing variable.
      return false;
    }
  }

  #listLength({ args }: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const wanted = args.find(({ type }) => isListType(getNullableType(type)));
    if (wanted === undefined) return UNBOUNDED_ITEMS;
    const value = this.#valueOf(wanted, node);
    return Array.isArray(value) ? value.length : 1;
  }

  #itemsOf(first: GraphQLArgument, node: FieldNode): number {
    const value = this.#valueOf(first, node);
    return typeof value === 'number' ? Math.min(Math.max(value, 0), MAX_ITEMS) : UNBOUNDED_ITEMS;
  }

  /** The value of an argument as far as the estimate needs it: numbers, booleans, strings, and the length of lists. */
  #valueOf({ name, defaultValue }: GraphQLArgument, node: FieldNode): unknown {
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
    return (given && this.#read(given)) ?? defaultValue;
  }

  #read(node: ValueNode): unknown {
    if (node.kind === Kind.VARIABLE) {
      this.usesVariables = true;
      return this.#variables[node.name.value];
    }
    return readLiteral(node);
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size;
    this.#numbers.set(set, number);
    return number;
  }
}

/** The value of a literal as far as the estimate needs it: numbers, booleans, strings, and the items of lists. */
function readLiteral(node: ConstValueNode | ValueNode): unknown {
  if (node.kind === Kind.INT) return Number(node.value);
  if (node.kind === Kind.LIST) return node.values;
  return node.kind === Kind.STRING || node.kind === Kind.BOOLEAN ? node.value : undefined;
}

function findField(parent: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return 'getFields' in parent ? parent.getFields()[name] : undefined;
}
