// Resolves connections: reads one page of a list.
import {
  type FieldNode,
  GRAPHQL_MAX_INT,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Read } from '../../loaders/operation-calls.ts';
import type { CallReason } from '../../loaders/operation-cost.ts';
import type { List } from '../../loaders/paging/list.ts';
import { type Page, readPage } from '../../loaders/paging/read-page.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { Resolve } from '../builder.ts';
import { toList } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import { withInputPaths } from '../types/inputs.ts';
import type { InputPaths } from './field-errors.ts';
import { type Projection, RowReader } from './projection.ts';
import { coordinateOf, selectionOf } from './selection.ts';

/**
 * The value of a connection and of its `PageInfo` in resolvers: one page. Cursors can be long, so they are written only where they are
 * selected. A class, because V8 makes a hidden class for each object literal with a getter, which keeps the rows until a full collection.
 */
export class ConnectionPage {
  readonly nodes: readonly Entity[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
  readonly #page: Page;

  /**
   * @param nodes The objects of its rows.
   * @param hasPreviousPage Whether rows precede the page.
   */
  constructor(page: Page, nodes: readonly Entity[], hasPreviousPage: boolean, totalCount: number | null) {
    this.#page = page;
    this.nodes = nodes;
    this.hasNextPage = page.hasNextPage;
    this.hasPreviousPage = hasPreviousPage;
    this.totalCount = totalCount;
  }

  get edges(): readonly Edge[] {
    return this.nodes.map((node, index) => new Edge(node, this.#page, index));
  }

  get pageInfo(): ConnectionPage {
    return this;
  }

  get startCursor(): string | null {
    return this.#cursorAt(0);
  }

  get endCursor(): string | null {
    return this.#cursorAt(this.nodes.length - 1);
  }

  #cursorAt(index: number): string | null {
    return index in this.nodes ? this.#page.cursorAt(index) : null;
  }
}

/** The value of an edge in resolvers. */
export class Edge {
  readonly node: Entity;
  readonly #page: Page;
  readonly #index: number;

  constructor(node: Entity, page: Page, index: number) {
    this.node = node;
    this.#page = page;
    this.#index = index;
  }

  get cursor(): string {
    return this.#page.cursorAt(this.#index);
  }
}

/** What a field requests besides its arguments `first` and `after`. */
export interface ListArguments {
  /** Parameters by their upstream names, with upstream values. */
  readonly filter: JsonObject;
  /** Values of the placeholders of the path, in path order. */
  readonly path: readonly string[];
  readonly pathIds: PathIds;
  /** Throws when rows do not match the filter. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/**
 * Returns what a field requests.
 * @param parent The object on which the field stands.
 * @param given The arguments.
 * @throws InvalidInputError for invalid arguments.
 */
export type ReadListArguments = (parent: unknown, given: JsonObject) => ListArguments;

/** Default page size. */
export const DEFAULT_FIRST = 25;
/** Maximum page size. */
export const MAX_FIRST = 1000;

/** Paths of the arguments for paging by parameter. */
const PAGING_PATHS: InputPaths = new Map([
  ['limit', ['first']],
  ['from_id', ['after']],
  ['offset', ['after']],
]);

/** Reads the pages of one list for one field. */
export class PageReader {
  readonly #list: List;
  readonly #rows: RowReader;
  readonly #paths: InputPaths;
  readonly #readArguments: ReadListArguments;
  readonly #needs = new WeakMap<readonly FieldNode[], ConnectionNeeds>();

  /**
   * @param paths Paths of the filters by parameter.
   * @param readArguments Returns what a field requests.
   */
  constructor(
    assembly: Assembly,
    resource: ResourceModel,
    action: Action,
    paths: InputPaths,
    readArguments: ReadListArguments,
  ) {
    this.#list = toList(
      action,
      [...paths.values()].flatMap((path) => path.slice(-1)),
      assembly.declaredOrders.get(action.scope),
    );
    this.#rows = new RowReader(assembly, resource, action);
    this.#paths = new Map([...PAGING_PATHS, ...paths]);
    this.#readArguments = readArguments;
  }

  /** Returns what a selection needs. It is kept for the field nodes, as a projection is. */
  #needsOf(info: GraphQLResolveInfo): ConnectionNeeds {
    let needs = this.#needs.get(info.fieldNodes);
    if (needs === undefined) {
      const { nodes, count } = readSelection(info);
      const projection = this.#rows.projectionBelow(nodes, info);
      const coordinate = coordinateOf(info);
      const reason: CallReason = {
        reason: 'PAGE',
        fields: [coordinate],
        ...(projection && { includes: projection.needs }),
      };
      needs = { coordinate, projection, includes: this.#rows.includes(projection), count, reason };
      this.#needs.set(info.fieldNodes, needs);
    }
    return needs;
  }

  /**
   * Reads the page that the arguments `first` and `after` determine, and fetches the selected values that its rows lack. It
   * begins as soon as one of its calls can be sent. What it requests is decided at once, so that it does not depend on the answers of
   * lists that began earlier.
   * @throws What `readArguments` throws. Rejects with InvalidInputError when `first` is out of its bounds or `after` is not a cursor of the list.
   */
  readonly read: Resolve = (parent, given, { operation }, info) =>
    this.#read(given, this.#readArguments(parent, given), operation, info);

  async #read(
    given: JsonObject,
    { filter, path, pathIds, check }: ListArguments,
    operation: Operation,
    info: GraphQLResolveInfo,
  ): Promise<ConnectionPage> {
    const { coordinate, projection, includes, count, reason } = this.#needsOf(info);
    const list = this.#list;
    const first = readFirst(given['first']);
    const after = typeof given['after'] === 'string' ? given['after'] : null;
    const request = {
      list,
      path,
      filter,
      includes,
      first,
      after,
      count,
      caller: operation.caller.key,
      check,
    };
    const read: Read = (call) => operation.calls.read(call, reason);
    const page = await withInputPaths(readPage(request, read, operation.lists), this.#paths, filter);
    const totalCount =
      page.totalCount !== null && page.totalCount <= GRAPHQL_MAX_INT ? page.totalCount : null;
    if (count && totalCount === null) operation.warn('COUNT_UNAVAILABLE', coordinate);
    if (page.isEmulated) operation.warn('PAGINATION_EMULATED', coordinate);
    if (page.lacksIncludes) operation.warn('INCLUDES_UNAVAILABLE', coordinate);
    if (page.unverified) operation.warn('PAGINATION_UNVERIFIED', coordinate, { ...page.unverified });
    const nodes = await this.#rows.readAll(page.rows, { pathIds }, projection, operation);
    return new ConnectionPage(page, nodes, after !== null, totalCount);
  }
}

/** What the selection of a connection needs. */
interface ConnectionNeeds {
  /** Coordinate of the field, e.g. `Query.books`. */
  readonly coordinate: string;
  readonly projection: Projection | null;
  readonly includes: readonly string[];
  /** Whether the total is selected. */
  readonly count: boolean;
  /** Why its pages are read. */
  readonly reason: CallReason;
}

/** Returns the field nodes that select rows, and whether the total is selected. */
function readSelection(info: GraphQLResolveInfo): {
  readonly nodes: readonly FieldNode[];
  readonly count: boolean;
} {
  const type = getNamedType(info.returnType);
  const connection = selectionOf(info.fieldNodes, type.name, info);
  const edgeType = isObjectType(type) ? type.getFields()['edges']?.type : undefined;
  const edge = selectionOf(connection.get('edges') ?? [], getNamedType(edgeType)?.name ?? '', info);
  return {
    nodes: [...(connection.get('nodes') ?? []), ...(edge.get('node') ?? [])],
    count: connection.has('totalCount'),
  };
}

function readFirst(first: unknown): number {
  const value = typeof first === 'number' ? first : DEFAULT_FIRST;
  if (value >= 0 && value <= MAX_FIRST) return value;
  throw new InvalidInputError(`"first" must be from 0 to ${MAX_FIRST}, not ${value}.`);
}
