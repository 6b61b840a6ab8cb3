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
import { actionOf, resourceOf } from '../../schema/origin.ts';
import { rowTypeOf } from '../../schema/row-type.ts';
import type { Action, Description, Resource } from '../../upstream/description/description.ts';
import { allResources } from '../../upstream/description/resource-tree.ts';
import {
  anchorOf,
  type Catalog,
  type CatalogAction,
  type CatalogResource,
  COMMON_PAGE,
  type FieldPlace,
} from './catalog.ts';
import { FileNames } from './file-names.ts';

/** A resource without its enums, with the types that are explained on its page. */
type PageDraft = Omit<CatalogResource, 'enums'> & { readonly types: ReadonlySet<GraphQLNamedType> };

/** Sorts what a schema offers. The same schema and description give the same catalog. */
export function createCatalog(schema: GraphQLSchema, description: Description): Catalog {
  const objects = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !isIntrospectionType(type));
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const places = objects.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
  const actions = collectActions(places, schema);
  const drafts = draftPages(objects, actions, description);
  const addresses = new Map<string, string>();
  const sections = new Map<Action, string>();
  for (const { file, type, actions } of drafts) {
    if (type !== null) addresses.set(type.name, `${file}#${type.name}`);
    for (const one of actions) {
      const section = `${file}#${anchorOf(one.main)}`;
      sections.set(one.action, section);
      for (const inner of ownTypes(one)) addresses.set(inner.name, section);
    }
  }
  // The rows of a list tell more than its pages.
  for (const { field } of places) addPageTypes(field, addresses);
  const enums = assignEnums(schema, drafts);
  for (const [one, { file }] of enums) addresses.set(one.name, `${file}#${one.name}`);
  const commonTypes = Object.values(schema.getTypeMap()).filter(
    (type) =>
      !isIntrospectionType(type) && !addresses.has(type.name) && !roots.has(type as GraphQLObjectType),
  );
  for (const { name } of commonTypes) addresses.set(name, `${COMMON_PAGE}#${name}`);
  for (const root of roots) if (root) addresses.set(root.name, 'index.html');
  return {
    schema,
    resources: drafts.map(({ types: _types, ...draft }) => ({
      ...draft,
      enums: [...enums].filter(([, owner]) => owner.file === draft.file).map(([one]) => one),
    })),
    commonFields: places.filter(({ type, field }) => roots.has(type) && actionOf(field) === null),
    commonTypes,
    addresses,
    sections,
  };
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

function draftPages(
  objects: readonly GraphQLObjectType[],
  actions: readonly CatalogAction[],
  { resources, authentication }: Description,
): readonly PageDraft[] {
  const types = new Map(objects.map((type) => [keyOf(resourceOf(type)), type]));
  const described = new Map<string, Resource>();
  for (const one of allResources([...(authentication.token?.resources ?? []), ...resources]))
    described.set(keyOf(one.path), one);
  const paths = new Map<string, readonly string[]>();
  for (const path of [...objects.map(resourceOf), ...actions.map(({ action }) => action.resource)])
    if (path !== null) paths.set(keyOf(path), path);
  const names = new FileNames();
  return [...paths]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, path]) => {
      const type = types.get(key) ?? null;
      const own = actions.filter(({ action }) => keyOf(action.resource) === key).sort(byImportance);
      return {
        path,
        title: type?.name ?? path.join('.'),
        file: names.nameFor(path),
        description: described.get(key)?.description || null,
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

/** Lets the types of a list's pages and edges lead to the type of its rows. */
function addPageTypes(field: FieldPlace['field'], addresses: Map<string, string>): void {
  const row = rowTypeOf(field);
  const address = row === null ? undefined : addresses.get(row.name);
  const connection = getNamedType(field.type);
  if (address === undefined || !isObjectType(connection)) return;
  const edges = connection.getFields()['edges'];
  for (const type of [connection, ...(edges === undefined ? [] : [getNamedType(edges.type)])])
    addresses.set(type.name, address);
}

/** Finds the page of each enum: of those that use it the one after whose type it is named, or else the first. */
function assignEnums(
  schema: GraphQLSchema,
  drafts: readonly PageDraft[],
): ReadonlyMap<GraphQLEnumType, PageDraft> {
  const users = new Map<GraphQLEnumType, PageDraft[]>();
  for (const draft of drafts)
    for (const used of usedEnums(draft)) users.set(used, [...(users.get(used) ?? []), draft]);
  const owners = new Map<GraphQLEnumType, PageDraft>();
  for (const type of Object.values(schema.getTypeMap()).filter(isEnumType)) {
    const [first, ...others] = users.get(type) ?? [];
    const named = [first, ...others].filter((draft) => type.name.startsWith(draft?.type?.name ?? '?'));
    const owner = named.at(-1) ?? (others.length === 0 ? first : undefined);
    if (owner !== undefined) owners.set(type, owner);
  }
  return owners;
}

function usedEnums({ types, actions }: PageDraft): ReadonlySet<GraphQLEnumType> {
  const fields = [...types].flatMap((type): readonly { readonly type: GraphQLType }[] =>
    isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [],
  );
  const inputs = actions.flatMap(({ main, others }) => [main, ...others].flatMap(({ field }) => field.args));
  return new Set([...fields, ...inputs].map(({ type }) => getNamedType(type)).filter(isEnumType));
}
