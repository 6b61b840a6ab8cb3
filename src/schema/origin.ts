// Finds the part of the description from which a part of a schema was made.
import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Action, Parameter } from '../upstream/description/description.ts';

/** Any part of a schema. */
interface SchemaElement {
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Builder options of the type of a resource. @param text Its description, to which each schema adds a sentence. */
export const ofResource = (resource: readonly string[], text: string) => ({ extensions: { resource, text } });
/** Builder options of a field that calls an action. @param filter The filter that the field sets. Default: it sets none. */
export const ofAction = (action: Action, filter?: Parameter) => ({ extensions: { action, filter } });
/** Builder options of a field or an input that is a parameter. */
export const ofParameter = (parameter: Parameter) => ({ extensions: { parameter } });

/** Builder options of an enum: the dotted paths of resources with the names of their parameters. */
export const ofParameters = (places: readonly string[]) => ({ extensions: { places } });
/** Extensions of a field or an argument that callers have who have one of these actions. */
export const needsAction = (...scopes: readonly string[]) => ({ extensions: { scopes } });

/** Options of a schema with the dotted paths of resources for debugging or internal use. */
export const withInternalResources = (internal: ReadonlySet<string>) => ({ extensions: { internal } });
/** Dotted paths of a schema's resources for debugging or internal use. */
export const internalResourcesOf = ({ extensions }: GraphQLSchema): ReadonlySet<string> =>
  (extensions['internal'] as ReadonlySet<string> | undefined) ?? new Set();

/** Path of the resource whose objects have a type; null for other types. */
export const resourceOf = ({ extensions }: SchemaElement): readonly string[] | null =>
  (extensions['resource'] as readonly string[] | undefined) ?? null;
/** The description of a resource's type without the sentence about its objects. */
export const resourceTextOf = ({ extensions }: SchemaElement): string => String(extensions['text'] ?? '');
/** The parameters of an enum; null for an enum that is not of the API. */
export const placesOf = ({ extensions }: SchemaElement): readonly string[] | null =>
  (extensions['places'] as readonly string[] | undefined) ?? null;
/** The action that a field calls; null for other fields. */
export const actionOf = ({ extensions }: SchemaElement): Action | null =>
  (extensions['action'] as Action | undefined) ?? null;
/** The filter that the field of an action sets; null for other fields. */
export const filterOf = ({ extensions }: SchemaElement): Parameter | null =>
  (extensions['filter'] as Parameter | undefined) ?? null;
/** The scopes of `needsAction`; null where it needs none. */
export const neededScopesOf = ({ extensions }: SchemaElement): readonly string[] | null =>
  (extensions['scopes'] as readonly string[] | undefined) ?? null;
/** Resolves a field for callers who lack its action; null for fields that they lack, too. */
export const resolverWithout = ({ extensions }: SchemaElement) =>
  (extensions['resolveWithoutAction'] as GraphQLFieldResolver<unknown, unknown> | undefined) ?? null;
/** The parameter that a field or an input stands for; null for others. */
export const parameterOf = ({ extensions }: SchemaElement): Parameter | null =>
  (extensions['parameter'] as Parameter | undefined) ?? null;

/**
 * Identifies what a field, an argument or an input field stands for among those beside it: by its action and the filter that it sets, or
 * by its parameter. Null where it has no part of the description to itself.
 */
export function originOf(element: SchemaElement): string | null {
  const action = actionOf(element);
  if (action === null) return parameterOf(element)?.name ?? null;
  const filter = filterOf(element);
  return filter === null ? action.scope : `${action.scope} ${filter.name}`;
}

/** The type of a connection's nodes; null for fields that are no connections. */
export function rowTypeOf({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType | null {
  const connection = getNamedType(type);
  const fields = isObjectType(connection) ? connection.getFields() : {};
  const row = 'pageInfo' in fields ? getNamedType(fields['nodes']?.type) : undefined;
  return isObjectType(row) ? row : null;
}
