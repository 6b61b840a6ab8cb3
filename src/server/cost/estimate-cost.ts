// Estimates how many fields the result of an operation has, before it is executed.
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isAbstractType,
  isListType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit,
} from 'graphql';
import {
  type FieldPlan,
  findOperation,
  type OperationPlan,
  type Selection,
  type Variables,
} from '../execution/execute.ts';

/** Fields of introspection for one point of cost: graphql-js reads them without a call. Tools read 70,000 for 430 actions. */
const INTROSPECTION_FIELDS = 4;
/** Work of an estimate at most: 1 for a field of introspection, of which tools need 30,000 for 430 actions, 40 for one that is planned. */
const MAX_WORK = 200_000;
const WORK_TO_PLAN = 40;
/** Items expected in a list whose length no argument bounds: as many as in a page of default size. */
const UNBOUNDED_ITEMS = 25;
/** Largest `first` that is multiplied; the field itself rejects larger ones. */
const MAX_ITEMS = 1000;

/**
 * Estimates the fields in the result of an operation: fields with the same response name are merged, lists are multiplied by their
 * `first`, and introspection is counted in the schema itself. Infinite when the document is too entangled to estimate.
 * @param sent The variables as they were sent. The cost is 0 when they are invalid, because nothing is executed then.
 */
export function estimateCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  sent: Readonly<Record<string, unknown>>,
): number {
  const operation = findOperation(schema, document, operationName);
  if (operation === null) return 0;
  const { variableDefinitions = [] } = operation.definition;
  const { coerced } = getVariableValues(schema, variableDefinitions, sent, { maxErrors: 1 });
  if (coerced === undefined) return 0;
  // A kept plan would have selections that no execution needs.
  return new CostEstimator(operation.createPlan(coerced), document, coerced).estimate();
}

class TooEntangledError extends Error {}

class CostEstimator {
  readonly #plan: OperationPlan;
  readonly #variables: Variables;
  /** The types that fragments name. */
  readonly #named = new Set<GraphQLNamedType | undefined>();
  /** Costs of introspection by what is selected of which part of the schema. */
  readonly #known = new Map<Selection, Map<object, number>>();
  #work = 0;

  constructor(plan: OperationPlan, document: DocumentNode, variables: Variables) {
    this.#plan = plan;
    this.#variables = variables;
    visit(document, {
      NamedType: ({ name }) => {
        this.#named.add(plan.schema.getType(name.value));
      },
    });
  }

  estimate(): number {
    try {
      return this.#sum(this.#plan.root, (field) => this.#costOf(field, null));
    } catch (error) {
      // Any other error is one of the execution, too, which then has no data.
      return error instanceof TooEntangledError ? Number.POSITIVE_INFINITY : 0;
    }
  }

  #sum(selection: Selection, costOf: (field: FieldPlan) => number): number {
    let sum = 0;
    for (const field of selection) sum += costOf(field);
    return sum;
  }

  #addWork(work: number): void {
    this.#work += work;
    if (this.#work > MAX_WORK) throw new TooEntangledError();
  }

  /** @param rows Items in the lists of a connection: its `first`; null for other types. */
  #costOf(field: FieldPlan, rows: number | null): number {
    this.#addWork(WORK_TO_PLAN);
    const { definition } = field;
    const known = definition.extensions['cost'];
    if (typeof known === 'number') return known;
    if (definition === SchemaMetaFieldDef || definition === TypeMetaFieldDef)
      return this.#introspect(field, this.#plan.schema) / INTROSPECTION_FIELDS;
    const types = this.#typesOf(field);
    if (types.length === 0) return 1;
    const values = this.#argumentsOf(field);
    const first = definition.args.some(({ name }) => name === 'first') ? itemsOf(values['first']) : null;
    const costs = types.map((type) =>
      this.#sum(this.#selectionBelow(field, type), (below) => this.#costOf(below, first)),
    );
    const items = isListType(getNullableType(definition.type)) ? (rows ?? lengthOf(field, values)) : 1;
    return 1 + items * Math.max(...costs);
  }

  /** The types of objects that a field may return, one of each kind that fragments distinguish. Empty for values. */
  #typesOf({ definition }: FieldPlan): readonly GraphQLObjectType[] {
    const type = getNamedType(definition.type);
    if (isObjectType(type)) return [type];
    if (!isAbstractType(type)) return [];
    const { schema } = this.#plan;
    const possible = schema.getPossibleTypes(type);
    const types = new Set(possible.filter((one) => this.#named.has(one)));
    for (const condition of [type, ...this.#named]) {
      const other = possible.find(
        (one) => !this.#named.has(one) && isAbstractType(condition) && schema.isSubType(condition, one),
      );
      if (other !== undefined) types.add(other);
    }
    return [...types];
  }

  #selectionBelow(field: FieldPlan, type: GraphQLObjectType): Selection {
    try {
      return this.#plan.selectionBelow(field, type);
    } catch {
      // A condition is null: the execution fails there, too.
      return [];
    }
  }

  #argumentsOf({ constantArguments, definition, nodes }: FieldPlan): Variables {
    try {
      return constantArguments ?? getArgumentValues(definition, nodes[0], this.#variables);
    } catch {
      // The execution reports the error.
      return {};
    }
  }

  /** Counts a field of introspection in the schema itself. Such fields only read the schema, so they can be resolved here. */
  #introspect(field: FieldPlan, source: object): number {
    const { definition } = field;
    const type = getNamedType(definition.type);
    this.#addWork(1);
    if (!isObjectType(type)) return 1;
    const info = { schema: this.#plan.schema } as never;
    const value: unknown = definition.resolve?.(source, this.#argumentsOf(field), null, info);
    const selection = this.#selectionBelow(field, type);
    let known = this.#known.get(selection);
    if (known === undefined) {
      this.#addWork(WORK_TO_PLAN * selection.length);
      known = new Map();
      this.#known.set(selection, known);
    }
    let sum = 1;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item !== 'object' || item === null) continue;
      const cost = known.get(item) ?? this.#sum(selection, (below) => this.#introspect(below, item));
      known.set(item, cost);
      sum += cost;
    }
    return sum;
  }
}

/** Items of a connection. */
const itemsOf = (first: unknown): number =>
  typeof first === 'number' ? Math.min(Math.max(first, 0), MAX_ITEMS) : UNBOUNDED_ITEMS;

/** Items of a list that is no connection: as many as an argument lists. */
function lengthOf({ definition: { args } }: FieldPlan, values: Variables): number {
  const wanted = args.find(({ type }) => isListType(getNullableType(type)));
  if (wanted === undefined) return UNBOUNDED_ITEMS;
  const value = values[wanted.name];
  return Array.isArray(value) ? value.length : 1;
}
