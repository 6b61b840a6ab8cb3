import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { List } from '../../loaders/paging/list-source.ts';
import { readPage } from '../../loaders/paging/read-page.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import type { ResourceModel } from '../model/model.ts';
import { createRowReader } from '../resolve/row-reader.ts';
import { coordinateOf, selectionOf } from '../resolve/selection.ts';
import type { EntityRef } from '../types/object-fields.ts';

/** A page as resolvers see it. */
interface ConnectionShape {
  readonly edges: readonly { readonly cursor: string; readonly node: Entity }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
}

/** One page of one list, as asked for by a caller. */
export interface PageArguments {
  readonly first: number | null | undefined;
  readonly after: string | null | undefined;
  /** Upstream's names and values. */
  readonly filter: JsonObject;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  readonly pathIds: PathIds;
  /** Refuses rows that the filter should have kept out; throws. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** Page size when none is given. */
export const DEFAULT_FIRST = 25;
/** Largest page. */
export const MAX_FIRST = 1000;

const pageInfoRef = (builder: Builder) => builder.objectRef<ConnectionShape>('PageInfo');
const connectionRef = (builder: Builder, name: string) => builder.objectRef<ConnectionShape>(name);
type ConnectionRef = ReturnType<typeof connectionRef>;

/** A connection type and its edge's name. */
interface ConnectionType {
  readonly ref: ConnectionRef;
  readonly edgeName: string;
}

/** The connection types of one schema, one for each type of rows. */
export class Connections {
  readonly #assembly: Assembly;
  readonly #pageInfo: ReturnType<typeof pageInfoRef>;
  readonly #types = new Map<EntityRef, ConnectionType>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#pageInfo = createPageInfo(assembly.builder);
  }

  /** The connection over a list's rows, and the resolver of a field of that type. */
  connectionFor(resource: ResourceModel, list: List) {
    const row = this.#assembly.types.outputTypeFor(resource, list.action);
    let type = this.#types.get(row);
    if (type === undefined) {
      type = this.#create(resource, row);
      this.#types.set(row, type);
    }
    return { ref: type.ref, resolve: this.#resolver(resource, list, type) };
  }

  #create(resource: ResourceModel, row: EntityRef): ConnectionType {
    const { builder, names } = this.#assembly;
    const part = row.name.startsWith(resource.typeName) ? row.name.slice(resource.typeName.length) : row.name;
    const edgeName = names.claim(resource, `${part}Edge`);
    const ref = createConnection(builder, row, this.#pageInfo, {
      connection: names.claim(resource, `${part}Connection`),
      edge: edgeName,
    });
    return { ref, edgeName };
  }

  #resolver(resource: ResourceModel, list: List, type: ConnectionType) {
    const { orders, sizes } = this.#assembly;
    const rows = createRowReader(this.#assembly, resource, list.action);
    const isCountOffered = list.action.metaInput.has('count');
    return async (
      page: PageArguments,
      operation: Operation,
      info: GraphQLResolveInfo,
    ): Promise<ConnectionShape> => {
      const first = readFirst(page.first);
      const after = page.after ?? null;
      const { nodes, count } = readSelection(type, info);
      if (count && !isCountOffered) operation.warn('COUNT_UNAVAILABLE', coordinateOf(info));
      const projection = rows.projectionBelow(nodes, info);
      const { path, filter, pathIds, check } = page;
      const request = {
        list,
        path,
        filter,
        includes: rows.includes(projection),
        first,
        after,
        count,
        caller: operation.callerKey,
        language: operation.caller.headers['accept-language'] ?? '',
        check,
      };
      const read = await readPage(request, operation.readFor(coordinateOf(info)), {
        orders,
        sizes,
        recent: operation.recentRows,
      });
      if (read.emulated) operation.warn('PAGINATION_EMULATED', coordinateOf(info));
      if (read.unverified)
        operation.warn('PAGINATION_UNVERIFIED', coordinateOf(info), { ...read.unverified });
      const edges = read.rows.map(({ row, cursor }) => ({ cursor, node: rows.read(row, pathIds) }));
      const entities = edges.map(({ node }) => node);
      await rows.complete(entities, projection, operation);
      const { hasNextPage, totalCount } = read;
      return { edges, hasNextPage, hasPreviousPage: after !== null, totalCount };
    };
  }
}

/** Whether the total is selected, and the nodes below which rows are selected. */
function readSelection(
  { ref, edgeName }: ConnectionType,
  info: GraphQLResolveInfo,
): { readonly nodes: readonly FieldNode[]; readonly count: boolean } {
  const connection = selectionOf(info.fieldNodes, ref.name, info);
  const edge = selectionOf(connection.get('edges') ?? [], edgeName, info);
  return {
    nodes: [...(connection.get('nodes') ?? []), ...(edge.get('node') ?? [])],
    count: connection.has('totalCount'),
  };
}

function readFirst(first: number | null | undefined): number {
  const value = first ?? DEFAULT_FIRST;
  if (value >= 0 && value <= MAX_FIRST) return value;
  throw new InvalidInputError(`"first" must be from 0 to ${MAX_FIRST}, not ${value}.`);
}

function createPageInfo(builder: Builder) {
  const ref = pageInfoRef(builder);
  builder.objectType(ref, {
    description: 'Where a page stands in its list.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        nullable: false,
        description: 'Whether rows follow. Exact.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        nullable: false,
        description: 'Whether `after` was given, and so a row stands before the page.',
      }),
      startCursor: t.string({ resolve: ({ edges }) => edges[0]?.cursor ?? null }),
      endCursor: t.string({ resolve: ({ edges }) => edges.at(-1)?.cursor ?? null }),
    }),
  });
  return ref;
}

function createConnection(
  builder: Builder,
  row: EntityRef,
  pageInfo: ReturnType<typeof pageInfoRef>,
  names: { readonly connection: string; readonly edge: string },
): ConnectionRef {
  const edge = builder.objectRef<ConnectionShape['edges'][number]>(names.edge);
  builder.objectType(edge, {
    description: 'A row and its place in the list.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { nullable: false, description: 'For `after`.' }),
      node: t.field({ type: row, resolve: ({ node }) => node }),
    }),
  });
  const ref = connectionRef(builder, names.connection);
  builder.objectType(ref, {
    description: 'A page of a list.',
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        nullable: { list: false, items: false },
        resolve: ({ edges }) => [...edges],
      }),
      nodes: t.field({
        type: [row],
        nullable: { list: false, items: true },
        resolve: ({ edges }) => edges.map(({ node }) => node),
      }),
      pageInfo: t.field({ type: pageInfo, nullable: false, resolve: (page) => page }),
      totalCount: t.field({
        type: 'SafeInt',
        description:
          'Rows in the whole list, whatever the page. Null with a warning where the API does not count it.',
        resolve: ({ totalCount }) => totalCount,
      }),
    }),
  });
  return ref;
}
