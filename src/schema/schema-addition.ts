// Adds types and fields that the user of the library writes in SDL to an assembled schema.
import { addResolversToSchema } from '@graphql-tools/schema';
import type { IResolvers } from '@graphql-tools/utils';
import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  extendSchema,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  parse,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  validateSchema,
} from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { DescriptionError } from '../upstream/errors.ts';
import type { Report } from './model/report.ts';

/** An object of the management API: the parent of a field that is added to its type. */
export interface ApiObject {
  readonly globalId: string;
  /** The API's own id, with its JSON type. */
  readonly rawId: unknown;
  /** The value of an output parameter. Null where the row in which the object was read does not hold it. */
  value(parameter: string): unknown;
}

/**
 * Resolves an added field. The parent is that of a field on an assembled type. A resolver may state other types of its parent, and of its
 * arguments: TypeScript allows that of methods.
 */
export type AddedResolver<Context> = {
  resolve(
    parent: ApiObject,
    args: Readonly<Record<string, unknown>>,
    context: Context,
    info: GraphQLResolveInfo,
  ): unknown;
}['resolve'];

/** Resolvers of the fields of a type; `__resolveType` of an interface or union. */
export interface AddedFields<Context> {
  readonly [field: string]:
    | AddedResolver<Context>
    | { readonly subscribe: AddedResolver<Context>; readonly resolve?: AddedResolver<Context> };
}

/** Types and fields next to the assembled ones. */
export interface SchemaAdditionOptions<Context = never> {
  /** SDL, such as `extend type Query { motd: String }`. */
  readonly typeDefs: string;
  /** Resolvers by type and field. An added scalar has its type, an added enum the values of its members. */
  readonly resolvers: Readonly<
    Record<
      string,
      AddedFields<Context> | GraphQLScalarType | Readonly<Record<string, string | number | boolean>>
    >
  >;
}

/** The types and fields that a user of the library adds to all schemas of a facade. */
export class SchemaAddition {
  readonly #document: DocumentNode;
  readonly #resolvers: SchemaAdditionOptions['resolvers'];

  /** @throws TypeError when the SDL has a syntax error, or a resolver is for nothing that it adds. */
  constructor({ typeDefs, resolvers }: SchemaAdditionOptions) {
    this.#document = parseTypeDefs(typeDefs);
    checkResolvers(resolvers, this.#document);
    this.#resolvers = resolvers;
  }

  /**
   * Adds what fits a schema. What needs a type that the schema does not have is left out with a finding, as is what the schema has
   * already.
   * @throws DescriptionError when the result is no valid schema.
   */
  applyTo(schema: GraphQLSchema, report: Report): GraphQLSchema {
    const document = keepFitting(this.#document, schema, (name, reason) =>
      report.add('ADDITION_LEFT_OUT', name, reason),
    );
    if (document.definitions.length === 0) return schema;
    const extended = extendSchema(schema, document);
    const [problem] = validateSchema(extended);
    if (problem !== undefined)
      throw new DescriptionError(`The schema with the added types and fields is invalid: ${problem.message}`);
    return addResolversToSchema({
      schema: extended,
      resolvers: this.#resolvers as IResolvers,
      resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
      updateResolversInPlace: true,
    });
  }
}

/** Parses SDL. @throws TypeError that says where it has a syntax error. */
function parseTypeDefs(typeDefs: string): DocumentNode {
  try {
    return parse(typeDefs);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [{ line = 1, column = 1 } = {}] = error.locations ?? [];
    throw new TypeError(
      `The option extendSchema.typeDefs, line ${line}, column ${column}: ${error.message}`,
      { cause: error },
    );
  }
}

/** Resolvers of something that is not added would never be called. @throws TypeError */
function checkResolvers(resolvers: SchemaAdditionOptions['resolvers'], { definitions }: DocumentNode): void {
  for (const [type, members] of Object.entries(resolvers)) {
    const nodes = definitions.filter(isTypeNode).filter(({ name }) => name.value === type);
    if (nodes.length === 0)
      throw new TypeError(`extendSchema has resolvers for ${type}, which typeDefs neither adds nor extends.`);
    if (isScalarType(members)) continue;
    const added = new Set(nodes.flatMap(namesOfMembers));
    const unknown = Object.keys(members).find((name) => !name.startsWith('__') && !added.has(name));
    if (unknown !== undefined)
      throw new TypeError(`extendSchema has a resolver for ${type}.${unknown}, which typeDefs does not add.`);
  }
}

/** The fields of a type, or the values of an enum. */
function namesOfMembers(node: TypeNode): readonly string[] {
  const members = 'fields' in node ? node.fields : 'values' in node ? node.values : [];
  return (members ?? []).map(({ name }) => name.value);
}

type TypeNode = TypeDefinitionNode | TypeExtensionNode;

const isTypeNode = (node: DefinitionNode): node is TypeNode =>
  isTypeDefinitionNode(node) || isTypeExtensionNode(node);

/** Removes fields and types until all that remain fit a schema. */
function keepFitting(
  document: DocumentNode,
  schema: GraphQLSchema,
  leaveOut: (name: string, reason: string) => void,
): DocumentNode {
  const errors = validateSDL(document, schema);
  let removed = 0;
  const fits = ({ loc }: ASTNode, name: string): boolean => {
    const error = errors.find(({ positions = [] }) =>
      positions.some((at) => loc !== undefined && loc.start <= at && at < loc.end),
    );
    if (error === undefined) return true;
    leaveOut(name, error.message);
    removed += 1;
    return false;
  };
  const definitions = document.definitions.flatMap((node): readonly DefinitionNode[] => {
    if (!isTypeNode(node)) return [node];
    const { value } = node.name;
    if (!('fields' in node) || node.fields === undefined || node.fields.length === 0)
      return fits(node, value) ? [node] : [];
    const fields = node.fields.filter((field) => fits(field, `${value}.${field.name.value}`));
    if (fields.length < node.fields.length)
      return fields.length === 0 ? [] : [{ ...node, fields } as TypeNode];
    return fits(node, value) ? [node] : [];
  });
  const kept = { ...document, definitions };
  return removed === 0 ? kept : keepFitting(kept, schema, leaveOut);
}
