// Defines the catalog of a schema: what it offers, by the resources of its API. Each has one page of the site.
import type {
  GraphQLEnumType,
  GraphQLField,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';
import type { Action } from './description.ts';

/** Any field. */
export type Field = GraphQLField<unknown, unknown>;

/** A field on its type. */
export interface FieldPlace {
  readonly type: GraphQLObjectType | GraphQLInterfaceType;
  readonly field: Field;
}

/** The fields of a type; none of null. */
export const placesOf = (type: FieldPlace['type'] | null): readonly FieldPlace[] =>
  type === null ? [] : Object.values(type.getFields()).map((field) => ({ type, field }));

/** An action with all fields that call it. */
export interface CatalogAction {
  readonly action: Action;
  readonly isMutation: boolean;
  /** The field that its section describes: the one at a root, where there is one. */
  readonly main: FieldPlace;
  /** Other fields that call it, such as the lists of objects that filter it. */
  readonly others: readonly FieldPlace[];
}

/** What a page shows of one resource. */
export interface CatalogResource {
  readonly path: readonly string[];
  /** Name of the type, or the path where there is none. */
  readonly title: string;
  readonly file: string;
  readonly description: string | null;
  readonly type: GraphQLObjectType | null;
  readonly actions: readonly CatalogAction[];
  readonly enums: readonly GraphQLEnumType[];
}

/** What a schema offers. */
export interface Catalog {
  readonly schema: GraphQLSchema;
  /** Parents come before the resources below them, and internal resources last. */
  readonly resources: readonly CatalogResource[];
  /** Fields of the roots that call no action of their own. */
  readonly commonFields: readonly FieldPlace[];
  /** Types that no single resource has. */
  readonly commonTypes: readonly GraphQLNamedType[];
  /** Where the types are explained, by name. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Where the actions are explained. */
  readonly sections: ReadonlyMap<Action, string>;
}

/** The page of what belongs to no single resource. */
export const COMMON_PAGE = 'common.html';

/** Where a field of a type is explained, within its page. */
export const anchorOf = ({ type, field }: FieldPlace): string => `${type.name}.${field.name}`;
