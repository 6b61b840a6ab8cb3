// Reads the arguments and conditions of an operation as far as the estimate of its cost needs them.
import {
  type ConstValueNode,
  type DirectiveNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNullableType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
} from 'graphql';

/** Items expected in a list whose length no argument bounds: as many as in a page of default size. */
const UNBOUNDED_ITEMS = 25;
/** Largest `first` that is multiplied; the field itself rejects larger ones. */
const MAX_ITEMS = 1000;

/** Values of variables by name, as they were sent. */
export type SentVariables = Readonly<Record<string, unknown>>;

/** The inputs of one operation. */
export class EstimatedInputs {
  /** The variables that have been read, with what was sent of them; undefined for nothing. */
  readonly used = new Map<string, unknown>();
  readonly #sent: SentVariables;
  readonly #values: SentVariables;

  constructor({ variableDefinitions = [] }: OperationDefinitionNode, sent: SentVariables) {
    const defaults: Record<string, unknown> = {};
    for (const { variable, defaultValue } of variableDefinitions)
      if (defaultValue !== undefined) defaults[variable.name.value] = readLiteral(defaultValue);
    this.#sent = sent;
    this.#values = { ...defaults, ...sent };
  }

  /** Whether `@skip` or `@include` omit a node. */
  omit({ directives = [] }: SelectionNode): boolean {
    if (directives.length === 0) return false;
    this.#useVariablesOf(directives);
    try {
      const skip = getDirectiveValues(GraphQLSkipDirective, { directives }, this.#values);
      const include = getDirectiveValues(GraphQLIncludeDirective, { directives }, this.#values);
      return skip?.['if'] === true || include?.['if'] === false;
    } catch {
      // Execution reports the missing variable.
      return false;
    }
  }

  /** Items of a list that is no connection: as many as an argument lists. */
  listLength({ args }: GraphQLField<unknown, unknown>, node: FieldNode): number {
    const wanted = args.find(({ type }) => isListType(getNullableType(type)));
    if (wanted === undefined) return UNBOUNDED_ITEMS;
    const value = this.valueOf(wanted, node);
    return Array.isArray(value) ? value.length : 1;
  }

  /** Items of a connection: its `first`. Null for fields without that argument. */
  itemsOf({ args }: GraphQLField<unknown, unknown>, node: FieldNode): number | null {
    const first = args.find(({ name }) => name === 'first');
    if (first === undefined) return null;
    const value = this.valueOf(first, node);
    return typeof value === 'number' ? Math.min(Math.max(value, 0), MAX_ITEMS) : UNBOUNDED_ITEMS;
  }

  /** The value of an argument as far as the estimate needs it: numbers, booleans, strings, and the length of lists. */
  valueOf({ name, defaultValue }: GraphQLArgument, node: FieldNode): unknown {
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value;
    return (given && this.#read(given)) ?? defaultValue;
  }

  #read(node: ValueNode): unknown {
    if (node.kind !== Kind.VARIABLE) return readLiteral(node);
    this.#use(node.name.value);
    return this.#values[node.name.value];
  }

  #useVariablesOf(directives: readonly DirectiveNode[]): void {
    for (const { arguments: args = [] } of directives)
      for (const { value } of args) if (value.kind === Kind.VARIABLE) this.#use(value.name.value);
  }

  #use(variable: string): void {
    this.used.set(variable, this.#sent[variable]);
  }
}

/** The value of a literal as far as the estimate needs it: numbers, booleans, strings, and the items of lists. */
function readLiteral(node: ConstValueNode | ValueNode): unknown {
  if (node.kind === Kind.INT) return Number(node.value);
  if (node.kind === Kind.LIST) return node.values;
  return node.kind === Kind.STRING || node.kind === Kind.BOOLEAN ? node.value : undefined;
}
