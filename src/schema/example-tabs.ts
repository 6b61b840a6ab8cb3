// Writes the documents of the explorer's first tabs.
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  print,
} from 'graphql';
import { lowerFirst } from './names/naming.ts';
import { resourceOf, rowTypeOf } from './origin.ts';

/** The document of one tab. */
export interface ExampleTab {
  readonly query: string;
  /** JSON; null for none. */
  readonly variables: string | null;
}

type Field = GraphQLField<unknown, unknown>;

const NO_LISTS = `query Example {
  # The API offers you no lists.
  # Sign in to see what you may read.
  session { authenticated }
}
`;
const PROGRESS = `subscription Progress {
  pendingActions { id label outcome progress }
}
`;
const CANCEL = 'actionStateCancel';

/**
 * Writes documents that are valid in a schema: a list with edges, a write that starts a blocking action, and, for callers who can start
 * actions, a subscription to those that are running and a mutation that cancels one.
 */
export function createExampleTabs(schema: GraphQLSchema): readonly ExampleTab[] {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const blocking = mutations.filter((field) => field.name !== CANCEL && isBlocking(field));
  const follows = schema.getSubscriptionType()?.getFields()['pendingActions'] !== undefined;
  const cancels = mutations.some(({ name }) => name === CANCEL);
  const ofActions = [
    ...(follows ? [{ query: PROGRESS, variables: null }] : []),
    ...(cancels
      ? [mutationTab('Cancel', 'id', 'pendingActions', `${CANCEL}(id: $id)`, 'target { id outcome status }')]
      : []),
  ];
  return [
    { query: createExampleQuery(schema) ?? NO_LISTS, variables: null },
    ...writeTabs(schema, blocking),
    ...(blocking.length > 0 ? ofActions : []),
  ];
}

/** Writes a mutation. Its id is null, so that GraphQL rejects it until the user fills in an id, and nobody changes an object by accident. */
const mutationTab = (title: string, id: string, list: string, field: string, result: string): ExampleTab => ({
  query: `mutation ${title}($${id}: ID!) {
  # Below, in Variables, set "${id}"
  # to an id from ${list}.
  ${field} {
    ${result}
    userErrors { code message path }
  }
}
`,
  variables: JSON.stringify({ [id]: null }, null, 2),
});

/** Writes a mutation that creates something and whose only required argument is the id of an object from a root list; none if there is none. */
function writeTabs(schema: GraphQLSchema, blocking: readonly Field[]): readonly ExampleTab[] {
  const lists = new Map(
    listsOf(schema.getQueryType()).map(({ field, row }) => [lowerFirst(row.name), field.name]),
  );
  const writes = blocking.flatMap(({ name, args }) => {
    const [id, ...others] = args.filter(isRequiredArgument).map((arg) => arg.name);
    const list = lists.get(id ?? '');
    return id === undefined || list === undefined || others.length > 0 || !name.endsWith('Create')
      ? []
      : [{ name, id, list }];
  });
  // Short names stand for common resources.
  const [best] = writes.sort((a, b) => a.name.length - b.name.length);
  if (best === undefined) return [];
  const { name, id, list } = best;
  const field = `${name}(${id}: $${id}, wait: 2)`;
  return [mutationTab('Create', id, list, field, 'actionState { id outcome progress }')];
}

const isBlocking = ({ args }: Field): boolean => args.some(({ name }) => name === 'wait');

/**
 * Writes a query of a list with what most readers look for first: the label, state and times of its rows, an edge to one object and a
 * list. It is the list whose rows have the most edges; running actions come last, because most callers have none. Null for a schema
 * without lists.
 */
function createExampleQuery(schema: GraphQLSchema): string | null {
  const lists = listsOf(schema.getQueryType()).map(({ field, row }) => {
    const edges = edgesOf(row);
    const nested = listsOf(row).filter((list) => list.row !== row);
    const own = nested.filter((list) => isBelow(list.row, row));
    const rank = row.name === 'ActionState' ? -1 : edges.length + own.length;
    return { field, row, edges, nested: own.length > 0 ? own : nested, rank };
  });
  lists.sort((a, b) => (a.field.name < b.field.name ? -1 : 1));
  const best = highest(lists, ({ rank }) => rank);
  if (best === undefined) return null;
  const references = countReferences(schema);
  // Readers know best to what most fields lead, and find most in the rows that have the most fields.
  const edge = highest(
    best.edges.filter(({ target }) => target !== best.row),
    ({ target }) => references.get(target.name) ?? 0,
  );
  const nested = highest(best.nested, ({ row }) => Object.keys(row.getFields()).length);
  const selected = [
    ...leafNames(best.row, 3),
    ...(edge === undefined ? [] : [`${edge.field.name} { ${leafNames(edge.target, 0).join(' ')} }`]),
    ...(nested === undefined
      ? []
      : [`${nested.field.name}(first: 3) { nodes { ${leafNames(nested.row, 2).join(' ')} } }`]),
  ].join(' ');
  const query = `query Example {
    ${best.field.name}(first: 5) { nodes { ${selected} } pageInfo { hasNextPage endCursor } }
  }`;
  return `${print(parse(query))}\n`;
}

/** Returns the first of the items with the highest count. */
const highest = <Item>(items: readonly Item[], count: (item: Item) => number): Item | undefined =>
  [...items].sort((a, b) => count(b) - count(a))[0];

/** Counts the fields that lead to each type. */
function countReferences(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const references = new Map<string, number>();
  for (const type of Object.values(schema.getTypeMap()))
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      const { name } = getNamedType(field.type);
      references.set(name, (references.get(name) ?? 0) + 1);
    }
  return references;
}

const selectable = (type: GraphQLObjectType | null | undefined): readonly Field[] =>
  Object.values(type?.getFields() ?? {}).filter(
    (field) => !field.deprecationReason && !field.args.some(isRequiredArgument),
  );

/** Returns the lists of a type with the types of their rows. */
const listsOf = (type: GraphQLObjectType | null | undefined) =>
  selectable(type).flatMap((field) => {
    const row = rowTypeOf(field);
    return row === null ? [] : [{ field, row }];
  });

/** Returns the associations of a type, which need no arguments, with the types of their objects. */
const edgesOf = (type: GraphQLObjectType) =>
  selectable(type).flatMap((field) => {
    const target = getNamedType(field.type);
    const isEdge = isObjectType(target) && ['id', 'label'].every((name) => name in target.getFields());
    return isEdge && field.args.length === 0 ? [{ field, target }] : [];
  });

/** Whether the resource of a type is below that of another one. */
const isBelow = (type: GraphQLObjectType, other: GraphQLObjectType): boolean =>
  `${resourceOf(type)?.join('.')}`.startsWith(`${resourceOf(other)?.join('.')}.`);

/** Returns the names of the leaf fields that identify an object, and of up to `more` others: state, times, values. */
function leafNames(type: GraphQLObjectType, more: number): readonly string[] {
  const leaves = Object.values(type.getFields()).filter(
    (field) => !field.deprecationReason && isLeafType(getNamedType(field.type)),
  );
  const names = leaves.map((field) => field.name);
  const lead = ['id', names.includes('label') ? 'label' : 'name'].filter((name) => names.includes(name));
  const others = leaves
    .filter(({ name }) => !lead.includes(name) && name !== 'databaseId')
    // Short names stand for common values.
    .sort((a, b) => readersRank(a) - readersRank(b) || a.name.length - b.name.length);
  const chosen = [...lead, ...others.slice(0, more).map(({ name }) => name)];
  return chosen.length === 0 ? ['__typename'] : chosen;
}

/** Returns how early readers look for a value: first the state, then times, sizes and texts, then switches, last the ids of other objects. */
function readersRank({ name, type }: Field): number {
  if (/(^|[a-z])(state|status)$/i.test(name)) return 0;
  if (/^(created|updated)(At)?$/.test(name)) return 1;
  const value = getNamedType(type);
  if (value.name === 'DateTime') return 2;
  if (isEnumType(value) || value.name === 'Boolean') return 4;
  return /(^id|Id)$/.test(name) || value.name === 'JSON' ? 5 : 3;
}
