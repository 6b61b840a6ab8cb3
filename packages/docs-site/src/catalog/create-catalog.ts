// Builds the catalog of a schema.
import {
  type GraphQLEnumType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import {
  actionOf,
  type Description,
  internalResourcesOf,
  resourceOf,
  rowTypeOf,
} from '../../../../src/index.ts';
import {
  anchorOf,
  type Catalog,
  type CatalogAction,
  type CatalogResource,
  COMMON_PAGE,
  type FieldPlace,
  placesOf,
} from './catalog.ts';
import { type Action, allResources, type Resource } from './description.ts';
import { nameFile } from './file-names.ts';

/** A resource without its enums, with the types that are explained on its page. */
type PageDraft = Omit<CatalogResource, 'enums'> & { readonly types: ReadonlySet<GraphQLNamedType> };

/** What a site is made from, besides the guide: a schema, and what the API describes about its parts. */
export interface DescribedSchema {
  readonly schema: GraphQLSchema;
  readonly description: Description;
}

/** Sorts what a schema offers. The same input gives the same catalog. */
export function createCatalog({ schema, description }: DescribedSchema): Catalog {
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]);
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const objects = types.filter(isObjectType);
  const places = objects.flatMap(placesOf);
  const { authentication, resources: described } = description;
  const drafts = draftPages(
    objects,
    collectActions(places, schema),
    allResources([...(authentication.token?.resources ?? []), ...described]),
    internalResourcesOf(schema),
  );
  const enums = assignEnums(types.filter(isEnumType), drafts);
  const resources = drafts.map(({ types: _types, ...draft }) => ({
    ...draft,
    enums: [...enums].flatMap(([one, owner]) => (owner.file === draft.file ? [one] : [])),
  }));
  const addresses = addressesOf(resources, places);
  const commonTypes = types.filter((type) => !addresses.has(type.name) && !roots.has(type));
  for (const { name } of commonTypes) addresses.set(name, `${COMMON_PAGE}#${name}`);
  return {
    schema,
    resources,
    commonFields: places.filter(({ type, field }) => roots.has(type) && actionOf(field) === null),
    commonTypes,
    addresses,
    sections: new Map(
      resources.flatMap((one) =>
        one.actions.map(({ action, main }) => [action, addressIn(one, anchorOf(main))]),
      ),
    ),
  };
}

const addressIn = ({ file }: Pick<CatalogResource, 'file'>, anchor: string): string => `${file}#${anchor}`;

/** Where the types are explained that belong to one resource. */
function addressesOf(
  resources: readonly CatalogResource[],
  places: readonly FieldPlace[],
): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const resource of resources) {
    const { type, actions, enums } = resource;
    for (const one of actions)
      for (const { name } of ownTypes(one)) addresses.set(name, addressIn(resource, anchorOf(one.main)));
    for (const { name } of [...(type === null ? [] : [type]), ...enums])
      addresses.set(name, addressIn(resource, name));
  }
  for (const { field } of places) addPageTypes(field, addresses);
  return addresses;
}

/** Groups fields by the action that they call. */
function collectActions(places: readonly FieldPlace[], schema: GraphQLSchema): readonly CatalogAction[] {
  const byAction = new Map<Action, FieldPlace[]>();
  for (const place of places) {
    const action = actionOf(place.field);
    if (action === null) continue;
    const known = byAction.get(action);
    if (known === undefined) byAction.set(action, [place]);
    else known.push(place);
  }
  const rank = ({ type, field }: FieldPlace): number =>
    (type === schema.getQueryType() || type === schema.getMutationType() ? 0 : 2) +
    (field.deprecationReason ? 1 : 0);
  return [...byAction].flatMap(([action, all]) => {
    const [main, ...others] = [...all].sort((a, b) => rank(a) - rank(b));
    const isMutation = main?.type === schema.getMutationType();
    return main === undefined ? [] : [{ action, isMutation, main, others }];
  });
}

/** Makes a page of each resource that has a type or an action. */
function draftPages(
  objects: readonly GraphQLObjectType[],
  actions: readonly CatalogAction[],
  resources: readonly Resource[],
  internal: ReadonlySet<string>,
): readonly PageDraft[] {
  const types = new Map(objects.map((type) => [keyOf(resourceOf(type)), type]));
  const described = new Map(resources.map((one) => [keyOf(one.path), one]));
  const paths = new Map<string, readonly string[]>();
  for (const path of [...objects.map(resourceOf), ...actions.map(({ action }) => action.resource)])
    if (path !== null) paths.set(keyOf(path), path);
  const names = new Map<string, number>();
  const rank = (path: readonly string[]): number => Number(internal.has(path.join('.')));
  return [...paths]
    .sort(([one, path], [other, otherPath]) => rank(path) - rank(otherPath) || (one < other ? -1 : 1))
    .map(([key, path]) => {
      const resource = described.get(key);
      const type = types.get(key) ?? null;
      const own = actions.filter(({ action }) => keyOf(action.resource) === key).sort(byImportance);
      return {
        path,
        title: type?.name ?? path.join('.'),
        file: nameFile(path, names),
        description: resource?.description || null,
        type,
        actions: own,
        types: new Set([...(type === null ? [] : [type]), ...own.flatMap(ownTypes)]),
      };
    });
}

/** The key of a resource. Parents sort before the resources below them. */
const keyOf = (path: readonly string[] | null): string => JSON.stringify(path).slice(0, -1);

/** Lists and single reads come first, then the other actions by name. */
function byImportance({ action: one }: CatalogAction, { action: other }: CatalogAction): number {
  const rank = ({ name }: Action): number => ['index', 'show'].indexOf(name) >>> 0;
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1);
}

/** The types that only describe one action: its input objects, its payload, or the type of its output. */
function ownTypes({ main, others }: CatalogAction): readonly GraphQLNamedType[] {
  const inputs = [main, ...others].flatMap(({ field }) => field.args.map(({ type }) => getNamedType(type)));
  const row = rowTypeOf(main.field) ?? getNamedType(main.field.type);
  const isOwn = isObjectType(row) && resourceOf(row) === null;
  return [...inputs.filter(isInputObjectType), ...(isOwn ? [row] : [])];
}

/** Lets the types of a list's pages and edges lead to the type of its rows, which says more. */
function addPageTypes(field: FieldPlace['field'], addresses: Map<string, string>): void {
  const row = rowTypeOf(field);
  const address = row === null ? undefined : addresses.get(row.name);
  const connection = getNamedType(field.type);
  if (address === undefined || !isObjectType(connection)) return;
  const edges = connection.getFields()['edges'];
  for (const type of [connection, ...(edges === undefined ? [] : [getNamedType(edges.type)])])
    addresses.set(type.name, address);
}

/** Finds the pages of enums: that after whose type the enum is named, or the only one that uses it. Others are common to several. */
function assignEnums(
  enums: readonly GraphQLEnumType[],
  drafts: readonly PageDraft[],
): ReadonlyMap<GraphQLEnumType, PageDraft> {
  const users = new Map<GraphQLEnumType, PageDraft[]>();
  for (const draft of drafts)
    for (const used of usedEnums(draft)) users.set(used, [...(users.get(used) ?? []), draft]);
  const owners = new Map<GraphQLEnumType, PageDraft>();
  for (const type of enums) {
    const [first, ...others] = users.get(type) ?? [];
    const named = [first, ...others].filter((draft) => type.name.startsWith(draft?.type?.name ?? '?'));
    const owner = named.at(-1) ?? (others.length === 0 ? first : undefined);
    if (owner !== undefined) owners.set(type, owner);
  }
  return owners;
}

/** The enums in the fields, arguments and inputs of a page. */
function usedEnums({ types, actions }: PageDraft): ReadonlySet<GraphQLEnumType> {
  const fields = [...types].flatMap((type): readonly { readonly type: GraphQLType }[] =>
    isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [],
  );
  const inputs = actions.flatMap(({ main, others }) => [main, ...others].flatMap(({ field }) => field.args));
  return new Set([...fields, ...inputs].map(({ type }) => getNamedType(type)).filter(isEnumType));
}
