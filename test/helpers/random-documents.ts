// Writes random operations for any schema.
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Chooses a number below a bound. */
export type Choose = (below: number) => number;

/** An operation with its variables. */
export interface RandomOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const TEXTS = [
  '',
  '1',
  '7',
  '-1',
  'x',
  '__proto__',
  'shelf/1',
  'a/b/c/d',
  '%',
  '..',
  '😀',
  '2020-01-01',
  '\u0000',
];
const NUMBERS = [0, 1, -1, 7, 2 ** 31, 2 ** 53, -0.5];
const VALUES: readonly unknown[] = [null, true, [], {}, [[null]], { __proto__: 1 }, ...TEXTS, ...NUMBERS];

/**
 * Writes an operation: valid but for the values of its variables, some of which are of wrong types.
 * @param withFragments Writes fragments, `@skip` and `@include` too. Then fields of one response name may differ.
 * @param isIncremental Writes queries with `@defer` and `@stream` too.
 */
export function writeOperation(
  schema: GraphQLSchema,
  choose: Choose,
  withFragments = false,
  isIncremental = false,
): RandomOperation {
  const kinds = [schema.getQueryType(), isIncremental ? null : schema.getMutationType()];
  const roots = kinds.flatMap((type) => type ?? []);
  const root = roots[choose(roots.length)];
  if (root === undefined) throw new Error('expected a query type');
  const writer = new Writer(schema, choose, withFragments, isIncremental);
  const selection = writer.select(root, 4);
  const kind = root === schema.getMutationType() ? 'mutation' : 'query';
  const heads = writer.declarations.length === 0 ? '' : `(${writer.declarations.join(', ')})`;
  const query = [`${kind} ${heads} ${selection}`, ...writer.fragments].join(' ');
  return { query, variables: writer.variables };
}

class Writer {
  readonly declarations: string[] = [];
  readonly variables: Record<string, unknown> = {};
  readonly #schema: GraphQLSchema;
  readonly #choose: Choose;
  readonly #withFragments: boolean;
  /** Definitions of fragments. */
  readonly fragments: string[] = [];
  /** Names of fragments by the names of their types. */
  readonly #fragmentNames = new Map<string, string[]>();

  readonly #isIncremental: boolean;
  #labels = 0;

  constructor(schema: GraphQLSchema, choose: Choose, withFragments: boolean, isIncremental: boolean) {
    this.#isIncremental = isIncremental;
    this.#schema = schema;
    this.#choose = choose;
    this.#withFragments = withFragments;
  }

  select(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields());
    const parts = Array.from({ length: 1 + this.#choose(4) }, (_, index) => {
      const field = fields[this.#choose(fields.length)];
      if (field === undefined) return '';
      const written = this.#writeField(field, `f${index}`, depth);
      return this.#withFragments && written !== '' ? this.#wrap(type, written) : written;
    });
    return `{ __typename ${parts.join(' ')} }`;
  }

  /** Puts a field into a fragment, or under a condition, or leaves it as it is. */
  #wrap(type: GraphQLObjectType, field: string): string {
    const [way, names] = [this.#choose(8), this.#fragmentNames.get(type.name) ?? []];
    if (way === 0) return `... on ${type.name} ${this.#writeCondition()} ${this.#writeDefer()} { ${field} }`;
    if (way === 1) return `... ${this.#writeCondition()} ${this.#writeDefer()} { __typename ${field} }`;
    if (way === 2 && names.length > 0)
      return `${field} ...${this.#pick(names)} ${this.#writeCondition()} ${this.#writeDefer()}`;
    if (way > 3) return field;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${type.name} { ${field} }`);
    this.#fragmentNames.set(type.name, [...names, name]);
    return `...${name} ${this.#writeCondition()} ${this.#writeDefer()}`;
  }

  #writeCondition(): string {
    const directive = this.#choose(2) === 0 ? 'skip' : 'include';
    if (this.#choose(2) === 0) return '';
    if (this.#choose(4) === 0) return `@${directive}(if: ${this.#choose(2) === 0})`;
    const name = `v${this.declarations.length}`;
    // With a default, the variable may be null, which is an error where the condition is read.
    this.declarations.push(`$${name}: Boolean = ${this.#choose(2) === 0}`);
    const value = [true, false, undefined, null][this.#choose(this.#choose(6) === 0 ? 4 : 3)];
    if (value !== undefined) this.variables[name] = value;
    return `@${directive}(if: $${name})`;
  }

  #writeDefer(): string {
    if (!this.#isIncremental || this.#choose(2) === 0) return '';
    const condition = this.#choose(6) === 0 ? `if: ${this.#choose(2) === 0}, ` : '';
    this.#labels += 1;
    return `@defer(${condition}label: "L${this.#labels}")`;
  }

  #writeStream({ type }: GraphQLField<unknown, unknown>): string {
    const isStreamed = this.#isIncremental && isListType(getNullableType(type)) && this.#choose(2) === 0;
    this.#labels += 1;
    return isStreamed ? ` @stream(initialCount: ${this.#choose(3)}, label: "L${this.#labels}")` : '';
  }

  #writeField(field: GraphQLField<unknown, unknown>, alias: string, depth: number): string {
    const type = getNamedType(field.type);
    if (!isLeafType(type) && depth <= 0) return '';
    const args = field.args
      .filter(({ type }) => isNonNullType(type) || this.#choose(2) === 0)
      .map(({ name, type }) => `${name}: ${name === 'wait' ? '0.01' : this.#writeArgument(type)}`);
    const condition = this.#withFragments && this.#choose(4) === 0 ? ` ${this.#writeCondition()}` : '';
    const given = args.length === 0 ? '' : `(${args.join(', ')})`;
    const head = `${alias}: ${field.name}${given}${condition}${this.#writeStream(field)}`;
    if (isObjectType(type)) return `${head} ${this.select(type, depth - 1)}`;
    if (!isAbstractType(type)) return head;
    const possible = this.#schema.getPossibleTypes(type);
    const some = possible[this.#choose(possible.length)];
    return `${head} { __typename ${some === undefined ? '' : `... on ${some.name} ${this.select(some, depth - 1)}`} }`;
  }

  #writeArgument(type: GraphQLInputType): string {
    const name = `v${this.declarations.length}`;
    this.declarations.push(`$${name}: ${String(type)}`);
    this.variables[name] = this.#choose(12) === 0 ? this.#pick(VALUES) : this.#valueOf(type, 3);
    return `$${name}`;
  }

  #valueOf(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return this.#valueOf(type.ofType, depth);
    if (isListType(type))
      return Array.from({ length: this.#choose(3) }, () => this.#valueOf(type.ofType, depth));
    if (isEnumType(type)) return this.#pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        ({ type }) => isNonNullType(type) || (depth > 0 && this.#choose(2) === 0),
      );
      return Object.fromEntries(fields.map(({ name, type }) => [name, this.#valueOf(type, depth - 1)]));
    }
    switch (String(type)) {
      case 'Boolean':
        return this.#choose(2) === 0;
      case 'Float':
      case 'Int':
      case 'SafeInt':
        return this.#choose(3) > 0 ? this.#choose(50) : this.#pick(NUMBERS);
      case 'DateTime':
        return '2020-01-01T00:00:00Z';
      case 'JSON':
        return this.#pick(VALUES);
      default:
        return this.#choose(2) === 0 ? String(this.#choose(9)) : this.#pick(TEXTS);
    }
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[this.#choose(values.length)];
    if (value === undefined) throw new Error('expected a value');
    return value;
  }
}
