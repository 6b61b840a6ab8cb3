// Defines what a site is made from: a schema, and what the API describes about its parts. The parts carry it in their `extensions`.
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';

export type Field = GraphQLField<unknown, unknown>;

/** What a site is made from, besides the guide. */
export interface SiteInput {
  readonly schema: GraphQLSchema;
  /** What the API describes of its resources. */
  readonly resources: readonly DescribedResource[];
  readonly examples: Examples;
}

/** What the API describes of a resource. */
export interface DescribedResource {
  readonly path: readonly string[];
  readonly description: string | null;
  /** Whether it is for debugging or internal use, and comes last. */
  readonly internal: boolean;
}

/** The examples that clients of the schema know already, and how they choose the fields of an object. */
export interface Examples {
  /** The one that a newcomer sees first; null for none. */
  readonly first: Example | null;
  /** A query of a list, and the type of its rows; null for a schema without lists. */
  readonly list: { readonly query: string; readonly row: GraphQLObjectType } | null;
  /** Names of leaf fields of a type: those that identify an object, and up to `more` others. */
  leafNames(type: GraphQLObjectType | null, more: number): readonly string[];
  /** Fields that lead to other objects, and need no arguments. */
  associationFields(type: GraphQLObjectType): readonly Field[];
}

/** A document with its variables. */
export interface Example {
  readonly query: string;
  /** JSON; null for none. */
  readonly variables: string | null;
}

/** What the API describes about an action, in the extension `action` of the fields that call it. */
export interface Action {
  readonly name: string;
  /** Path of its resource. */
  readonly resource: readonly string[];
  readonly scope: string;
  readonly description: string | null;
  /** Why it should no longer be used; null where it may be. */
  readonly deprecated: string | null;
  readonly auth: boolean;
  readonly blocking: boolean;
  readonly method: string;
  readonly path: { readonly text: string; readonly placeholders: readonly unknown[] };
  readonly input: { readonly parameters: readonly Parameter[] };
  readonly output: { readonly parameters: readonly Parameter[] };
}

/** What the API describes about a value or an association, in the extension `parameter` of its fields and inputs. */
export type Parameter = ParameterBase &
  (
    | { readonly type: 'Resource'; readonly resource: readonly string[] }
    | {
        readonly type: 'String' | 'Text' | 'Boolean' | 'Integer' | 'Float' | 'Datetime' | 'Custom';
        readonly default: unknown;
        readonly validators: Validators;
      }
  );

interface ParameterBase {
  readonly name: string;
  readonly required: boolean;
  /** Null where the API does not say. */
  readonly nullable: boolean | null;
}

/** The rules of a value that examples meet, or that errors name. */
export interface Validators {
  readonly accept?: { readonly value: unknown };
  readonly present?: object;
  readonly confirm?: object;
  readonly include?: { readonly values: readonly { readonly value: unknown }[] };
  readonly exclude?: object;
  readonly format?: object;
  readonly length?: Readonly<Record<'min' | 'max' | 'equals', number | null>>;
  readonly number?: Readonly<Record<'min' | 'max' | 'step' | 'mod', number | null>> &
    Readonly<Record<'even' | 'odd', boolean>>;
}

/** Any part of a schema. */
interface SchemaPart {
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Path of the resource whose objects have a type; null for other types. */
export const resourceOf = ({ extensions }: SchemaPart): readonly string[] | null =>
  (extensions['resource'] as readonly string[] | undefined) ?? null;
/** The action that a field calls; null for other fields. */
export const actionOf = ({ extensions }: SchemaPart): Action | null =>
  (extensions['action'] as Action | undefined) ?? null;
/** The parameter that a field or an input stands for; null for others. */
export const parameterOf = ({ extensions }: SchemaPart): Parameter | null =>
  (extensions['parameter'] as Parameter | undefined) ?? null;

/** The type of the rows of a connection; null for fields that are no connections. */
export function rowTypeOf({ type }: Field): GraphQLObjectType | null {
  const connection = getNamedType(type);
  const fields = isObjectType(connection) ? connection.getFields() : {};
  const row = 'pageInfo' in fields ? getNamedType(fields['nodes']?.type) : undefined;
  return isObjectType(row) ? row : null;
}
