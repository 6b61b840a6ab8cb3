// Finds the part of the description from which a part of a schema was made.
import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Action, Parameter, ResourceParameter } from '../upstream/description/description.ts';
import type { ResourceModel } from './model/model.ts';

/** Any part of a schema. */
export interface SchemaElement {
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The output parameters that a field of an object reads. */
export type FieldSource =
  | {
      readonly parameter: string;
      /** A further parameter that the field needs. */
      readonly namedBy?: string;
      readonly association?: { readonly parameter: ResourceParameter; readonly target: ResourceModel };
    }
  /** Shows the label of the association that led to the object, or one of these parameters. */
  | { readonly labels: readonly string[] };

/** The parts of the description that a part of a schema stands for. Its extensions contain them. */
export type Origin = {
  /** Path of the resource whose objects have the type. */
  readonly resource?: readonly string[];
  /** The description of a resource's type without the sentence about its objects. */
  readonly text?: string;
  /** The parameters of a type of equal outputs, by name. */
  readonly parameters?: ReadonlyMap<string, readonly Parameter[]>;
  /** The parameters of an enum: the dotted paths of their resources with their names. */
  readonly places?: readonly string[];
  /** The action that a field calls. */
  readonly action?: Action;
  /** The filter that the field of an action sets. */
  readonly filter?: Parameter | undefined;
  /** Resolves a field for callers who lack its action. They lack fields without it, too. */
  readonly resolveWithoutAction?: GraphQLFieldResolver<unknown, unknown>;
  /** The parameter that a field or an input stands for. */
  readonly parameter?: Parameter;
  /** What a field of an object reads. Fields that call an action themselves have no source. */
  readonly source?: FieldSource;
  /** The scopes of actions of which a caller needs one to have the field or the argument. */
  readonly scopes?: readonly string[];
};

/** Reads the origins of a part of a schema. */
export const readOrigin = ({ extensions }: SchemaElement): Origin => extensions ?? {};

/** Path of the resource whose objects have a type; null for other types. */
export const resourceOf = (type: SchemaElement): readonly string[] | null =>
  readOrigin(type).resource ?? null;
/** The action that a field calls; null for other fields. */
export const actionOf = (field: SchemaElement): Action | null => readOrigin(field).action ?? null;
/** The parameter that a field or an input stands for; null for others. */
export const parameterOf = (element: SchemaElement): Parameter | null =>
  readOrigin(element).parameter ?? null;

/** Dotted paths of a schema's resources for debugging or internal use. */
export const internalResourcesOf = ({ extensions }: GraphQLSchema): ReadonlySet<string> =>
  (extensions['internal'] as ReadonlySet<string> | undefined) ?? new Set();

/**
 * Identifies what a field, an argument or an input field stands for among those beside it: by its action and the filter that it sets, or
 * by its parameter. Null where it has no part of the description to itself.
 */
export function originOf(element: SchemaElement): string | null {
  const { action, parameter, filter } = readOrigin(element);
  if (action === undefined) return parameter?.name ?? null;
  return filter === undefined ? action.scope : `${action.scope} ${filter.name}`;
}

/** The type of a connection's nodes; null for fields that are no connections. */
export function rowTypeOf({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType | null {
  const connection = getNamedType(type);
  const fields = isObjectType(connection) ? connection.getFields() : {};
  const row = 'pageInfo' in fields ? getNamedType(fields['nodes']?.type) : undefined;
  return isObjectType(row) ? row : null;
}
