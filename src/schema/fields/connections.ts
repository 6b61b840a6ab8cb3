// Creates the connection types and resolves their pages.

import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { List } from '../../loaders/paging/list.ts';
import { readPage } from '../../loaders/paging/read-page.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import type { ResourceModel } from '../model/model.ts';
import { createRowReader } from '../resolve/row-reader.ts';
import { coordinateOf, selectionOf } from '../resolve/selection.ts';
import type { EntityRef } from '../types/object-fields.ts';

/** The value of a connection in resolvers: one page. */
interface ConnectionShape {
  readonly edges: readonly { readonly cursor: string; readonly node: Entity }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
}

/** The arguments of a request for one page. */
export interface PageArguments {
  readonly first: number | null | undefined;
  readonly after: string | null | undefined;
  /** Parameters by their upstream names, with upstream values. */
  readonly filter: JsonObject;
  /** Values of the placeholders of the path, in path order. */
  readonly path: readonly string[];
  readonly pathIds: PathIds;
  /** Throws when rows do not match the filter. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** Default page size. */
export const DEFAULT_FIRST = 25;
/** Maximum page size. */
export const MAX_FIRST = 1000;

const pageInfoRef = (builder: Builder) => builder.objectRef<ConnectionShape>('PageInfo');
const connectionRef = (builder: Builder, name: string) => builder.objectRef<ConnectionShape>(name);
type ConnectionRef = ReturnType<typeof connectionRef>;

/** A connection type and the name of its edge type. */
interface ConnectionType {
  readonly ref: ConnectionRef;
  readonly edgeName: string;
}

/** The connection types of one schema: one for each row type. */
export class Connections {
  readonly #assembly: Assembly;
  readonly #pageInfo: ReturnType<typeof pageInfoRef>;
  readonly #types = new Map<EntityRef, ConnectionType>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#pageInfo = createPageInfo(assembly.builder);
  }

  /** Returns the connection type for a list and the resolver of a field that returns the list. */
  connectionFor(resource: ResourceModel, list: List) {
    const rowType = this.#assembly.types.outputTypeFor(resource, list.action);
    let type = this.#types.get(rowType);
    if (type === undefined) {
      type = this.#create(resource, rowType);
      this.#types.set(rowType, type);
    }
    return { ref: type.ref, resolve: this.#createResolver(resource, list, type) };
  }

  #create(resource: ResourceModel, rowType: EntityRef): ConnectionType {
    const { builder, names } = this.#assembly;
    const { typeName } = resource;
    const part = rowType.name.startsWith(typeName) ? rowType.name.slice(typeName.length) : rowType.name;
    const edgeName = names.claim(resource, `${part}Edge`);
    const ref = createConnection(builder, rowType, this.#pageInfo, {
      connection: names.claim(resource, `${part}Connection`),
      edge: edgeName,
    });
    return { ref, edgeName };
  }

  #createResolver(resource: ResourceModel, list: List, type: ConnectionType) {
    const { orders, sizes } = this.#assembly;
    const rows = createRowReader(this.#assembly, resource, list.action);
    const canCount = list.action.metaInput.has('count');
    return async (
      page: PageArguments,
      operation: Operation,
      info: GraphQLResolveInfo,
    ): Promise<ConnectionShape> => {
      const first = readFirst(page.first);
      const after = page.after ?? null;
      const { nodes, count } = readSelection(type, info);
      if (count && !canCount) operation.warn('COUNT_UNAVAILABLE', coordinateOf(info));
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

/** Returns the field nodes that select rows, and whether the total is selected. */
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
    description: 'Information about pagination in a connection.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        nullable: false,
        description: 'Whether more rows follow this page. Always exact.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        nullable: false,
        description: 'Whether rows precede this page: true if `after` is given.',
      }),
      startCursor: t.string({
        description: 'The cursor of the first edge.',
        resolve: ({ edges }) => edges[0]?.cursor ?? null,
      }),
      endCursor: t.string({
        description: 'The cursor of the last edge. Pass it as `after` to fetch the next page.',
        resolve: ({ edges }) => edges.at(-1)?.cursor ?? null,
      }),
    }),
  });
  return ref;
}

function createConnection(
  builder: Builder,
  rowType: EntityRef,
  pageInfo: ReturnType<typeof pageInfoRef>,
  names: { readonly connection: string; readonly edge: string },
): ConnectionRef {
  const edge = builder.objectRef<ConnectionShape['edges'][number]>(names.edge);
  builder.objectType(edge, {
    description: 'An edge in a connection.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        nullable: false,
        description: 'The cursor of this row, for use as `after`.',
      }),
      node: t.field({
        type: rowType,
        description: 'The row at the end of the edge.',
        resolve: ({ node }) => node,
      }),
    }),
  });
  const ref = connectionRef(builder, names.connection);
  builder.objectType(ref, {
    description: `The connection type for ${rowType.name}.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'A list of edges.',
        nullable: { list: false, items: false },
        resolve: ({ edges }) => [...edges],
      }),
      nodes: t.field({
        type: [rowType],
        description: 'A list of rows.',
        nullable: { list: false, items: true },
        resolve: ({ edges }) => edges.map(({ node }) => node),
      }),
      pageInfo: t.field({
        type: pageInfo,
        nullable: false,
        description: 'Information to aid in pagination.',
        resolve: (page) => page,
      }),
      totalCount: t.field({
        type: 'SafeInt',
        description:
          'The number of rows in the whole list, regardless of the page. Null with a warning if the API does not count them.',
        resolve: ({ totalCount }) => totalCount,
      }),
    }),
  });
  return ref;
}
