// Finds the lists of a sandbox in the schema of a facade, and reads their rows past the facade.
import type { SandboxOptions } from '../../packages/sandbox/src/listen-sandbox.ts';
import { type Pair, startPair } from './facade.ts';
import { admin, ordinaryUser, send } from './sandbox-requests.ts';

/** A user of the sandbox. */
export type Login = 'admin' | 'user';

/** A list that a user can read. */
export interface SandboxList {
  /** For example `Dataset.snapshots of dataset:2`. */
  readonly name: string;
  /** Reads a page as `list`, on the root or below `parent`, with the variables `first`, `after` and `count`. */
  readonly query: string;
  /** The scope of its action. */
  readonly scope: string;
  /** The name of its rows in answers of the API, for example `user_sessions`. */
  readonly namespace: string;
  /** The ids of its rows, as the API answers without a limit. */
  readonly ids: readonly number[];
}

interface TypeRef {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType: TypeRef | null;
}

interface InputField {
  readonly name: string;
  readonly type: TypeRef;
}

interface SchemaType {
  readonly name: string;
  readonly fields:
    | readonly {
        readonly name: string;
        readonly type: TypeRef;
        readonly args: readonly InputField[];
      }[]
    | null;
  readonly inputFields: readonly InputField[] | null;
  readonly enumValues: readonly { readonly name: string }[] | null;
}

interface Connection {
  readonly parent: string;
  readonly field: string;
  /** Type of its nodes. */
  readonly node: string;
  /** Filters by one parameter of which the schema names the values, as GraphQL texts. */
  readonly filters: readonly string[];
}

/** The largest limit that the sandbox accepts. */
export const LARGEST_LIMIT = 1000;

const TYPE = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const INTROSPECTION = `{ __schema { types {
  name fields { name type { ${TYPE} } args { name type { ${TYPE} } } } inputFields { name type { ${TYPE} } } enumValues { name }
} } }`;

/** How many lists of each action are found: the root list, and a filtered or nested one. */
const LISTS_PER_ACTION = 2;

/** Finds the lists of each action. The sandbox must answer plainly. */
export async function findLists(sandbox: SandboxOptions, login: Login): Promise<readonly SandboxList[]> {
  await using pair = await startPair({ sandbox });
  const connections = await readConnections(pair, login);
  const lists: SandboxList[] = [];
  const add = async (name: string, query: string): Promise<void> => {
    const list = await readDirectly(pair, login, name, query);
    if (lists.filter(({ scope }) => scope === list.scope).length < LISTS_PER_ACTION) lists.push(list);
  };
  const parents = new Map<string, string | undefined>();
  const roots = connections.filter(({ parent }) => parent === 'Query');
  for (const { field, node, filters } of roots) {
    parents.set(node, await findOldest(pair, login, field));
    for (const filter of ['', ...filters.slice(0, 1)]) {
      const query = `query ($first: Int, $after: String, $count: Boolean = false) { ${select(field, filter)} }`;
      await add(`${field} ${filter}`.trim(), query);
    }
  }
  for (const { parent, field } of connections) {
    const id = parents.get(parent);
    if (id === undefined) continue;
    const query = `query ($first: Int, $after: String, $count: Boolean = false) {
      parent: node(id: "${id}") { ... on ${parent} { ${select(field, '')} } }
    }`;
    await add(`${parent}.${field} of ${id}`, query);
  }
  return lists;
}

const select = (field: string, filter: string): string =>
  `list: ${field}(first: $first, after: $after${filter && `, filter: ${filter}`}) {
    totalCount @include(if: $count) nodes { databaseId } pageInfo { hasNextPage endCursor }
  }`;

async function readConnections(pair: Pair, login: Login): Promise<readonly Connection[]> {
  const { data } = await pair.ask<{ __schema: { types: readonly SchemaType[] } }>(INTROSPECTION, { login });
  const types = new Map((data?.__schema.types ?? []).map((type) => [type.name, type]));
  const typeOf = (ref: TypeRef | undefined): SchemaType | undefined => types.get(nameOf(ref));
  const filtersOf = (ref: TypeRef | undefined): readonly string[] =>
    (typeOf(ref)?.inputFields ?? []).flatMap(({ name, type }) => {
      const value = nameOf(type) === 'Boolean' ? 'true' : typeOf(type)?.enumValues?.[0]?.name;
      return value === undefined ? [] : [`{ ${name}: ${value} }`];
    });
  return [...types.values()].flatMap(({ name: parent, fields }) =>
    (fields ?? []).flatMap(({ name: field, type, args }) => {
      const parts = typeOf(type)?.fields ?? [];
      const nodes = parts.find(({ name }) => name === 'nodes');
      if (nodes === undefined || !parts.some(({ name }) => name === 'pageInfo')) return [];
      const filter = args.find(({ name }) => name === 'filter');
      return [{ parent, field, node: nameOf(nodes.type), filters: filtersOf(filter?.type) }];
    }),
  );
}

const nameOf = (type: TypeRef | undefined): string => type?.name ?? (type?.ofType ? nameOf(type.ofType) : '');

/** Reads the id of the oldest object, whose lists are the longest. */
async function findOldest(pair: Pair, login: Login, field: string): Promise<string | undefined> {
  const query = `{ list: ${field}(first: 1000) { nodes { id databaseId } } }`;
  const { data } = await pair.ask<{ list: { nodes: readonly { id: string; databaseId: number }[] } }>(query, {
    login,
  });
  return data?.list.nodes.toSorted((a, b) => a.databaseId - b.databaseId)[0]?.id;
}

/** Reads the rows that the call of a query pages through. */
async function readDirectly(pair: Pair, login: Login, name: string, query: string): Promise<SandboxList> {
  const before = pair.calls.length;
  await pair.ask(query, { login, variables: { first: 1 } });
  const call = pair.calls.slice(before).find(({ scope }) => scope?.endsWith('#index'));
  if (call === undefined) throw new Error(`no call reads ${name}`);
  const parameters = new URLSearchParams(call.query);
  const limit = [...parameters.keys()].find((key) => key.endsWith('[limit]'));
  if (limit !== undefined) parameters.set(limit, String(LARGEST_LIMIT));
  const user = login === 'admin' ? admin(pair.sandbox) : ordinaryUser(pair.sandbox);
  const ids = new Set<number>();
  for (;;) {
    const { envelope } = await send(pair.sandbox, `${call.path}?${parameters}`, user);
    const [namespace, rows] =
      Object.entries(envelope['response'] ?? {}).find(([key]) => key !== '_meta') ?? [];
    if (namespace === undefined || !Array.isArray(rows)) throw new Error(`${call.path} is no list`);
    const page = rows.map(({ id }) => Number(id));
    for (const id of page) ids.add(id);
    if (limit === undefined || page.length < LARGEST_LIMIT)
      return { name, query, scope: call.scope ?? '', namespace, ids: [...ids] };
    // The longest list is newest first. The page may end within rows that tie.
    parameters.set(limit.replace('limit', 'from_id'), String(Math.min(...page) + 5));
  }
}
