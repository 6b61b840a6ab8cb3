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

/** Builder options of the type of a resource. @param text Its description, to which each schema adds a sentence. */
export const ofResource = (resource: readonly string[], text: string) => ({ extensions: { resource, text } });
/** Builder options of a field that calls an action. @param filter The filter that the field sets. Default: it sets none. */
export const ofAction = (action: Action, filter?: Parameter) => ({ extensions: { action, filter } });
/** Builder options of a field or an input that is a parameter. */
export const ofParameter = (parameter: Parameter) => ({ extensions: { parameter } });

/** The output parameters that a field of an object reads. Fields that call an action themselves have no source. */
export type FieldSource =
  | {
      readonly parameter: string;
      /** A further parameter that the field needs. */
      readonly namedBy?: string;
      readonly association?: { readonly parameter: ResourceParameter; readonly target: ResourceModel };
    }
  /** Shows the label of the association that led to the object, or one of these parameters. */
  | { readonly labels: readonly string[] };

/** Adds to the builder options of a field what it reads. */
export const withSource = <Options extends object>(
  options: Options & { readonly extensions?: object },
  source: FieldSource,
) => ({ ...options, extensions: { ...options.extensions, source } });

/** Builder options of a type of equal outputs: their parameters by name. */
export const ofEqualParameters = (parameters: ReadonlyMap<string, readonly Parameter[]>) => ({
  extensions: { parameters },
});

/** Builder options of an enum: the dotted paths of resources with the names of their parameters. */
export const ofParameters = (places: readonly string[]) => ({ extensions: { places } });
/** Extensions of a field or an argument that callers have who have one of these actions. */
export const needsAction = (...scopes: readonly string[]) => ({ extensions: { scopes } });

/** Options of a schema with the dotted paths of resources for debugging or internal use. */
export const withInternalResources = (internal: ReadonlySet<string>) => ({ extensions: { internal } });
/** Dotted paths of a schema's resources for debugging or internal use. */
export const internalResourcesOf = ({ extensions }: GraphQLSchema): ReadonlySet<string> =>
  (extensions['internal'] as ReadonlySet<string> | undefined) ?? new Set();

/** Makes a function that reads one of these options from a part of a schema. It returns null for parts without it. */
const reader =
  <Value>(key: string) =>
  ({ extensions }: SchemaElement): Value | null =>
    (extensions?.[key] as Value | undefined) ?? null;

/** Path of the resource whose objects have a type. */
export const resourceOf = reader<readonly string[]>('resource');
/** The description of a resource's type without the sentence about its objects. */
export const resourceTextOf = ({ extensions }: SchemaElement): string => String(extensions?.['text'] ?? '');
/** The parameters of a type of equal outputs, by name. */
export const equalParametersOf = reader<ReadonlyMap<string, readonly Parameter[]>>('parameters');
/** The parameters of an enum of the API. */
export const placesOf = reader<readonly string[]>('places');
/** The action that a field calls. */
export const actionOf = reader<Action>('action');
/** The filter that the field of an action sets. */
export const filterOf = reader<Parameter>('filter');
/** The scopes of `needsAction`. */
export const neededScopesOf = reader<readonly string[]>('scopes');
/** Resolves a field for callers who lack its action. They lack fields without it, too. */
export const resolverWithout = reader<GraphQLFieldResolver<unknown, unknown>>('resolveWithoutAction');
/** What a field reads. */
export const sourceOf = reader<FieldSource>('source');
/** The parameter that a field or an input stands for. */
export const parameterOf = reader<Parameter>('parameter');

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
