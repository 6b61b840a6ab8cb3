// Resolves connections: reads one page of a list.
import { GRAPHQL_MAX_INT, type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Read } from '../../loaders/operation-calls.ts';
import { type Page, readPage } from '../../loaders/paging/read-page.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { Resolve } from '../builder.ts';
import { toList } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import { fillPlaceholders } from '../types/ids.ts';
import { withInputPaths } from '../types/inputs.ts';
import type { InputPaths } from './field-errors.ts';
import { createOutputReader, type SelectedRows } from './output-reader.ts';
import { selectionOf } from './selection.ts';

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
interface ListArguments {
  /** Parameters by their upstream names, with upstream values. */
  readonly filter: JsonObject;
  /** Values of the placeholders of the path. */
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

/**
 * Creates the resolver of a connection. It reads the page that the arguments `first` and `after` determine, and fetches the selected
 * values that its rows lack. What it requests is decided at once, so that it does not depend on the answers of lists that began earlier.
 * It rejects with InvalidInputError when `first` is out of its bounds or `after` is not a cursor of the list.
 * @param filterPaths Paths of the filters by parameter.
 */
export function createPageResolver(
  assembly: Assembly,
  resource: ResourceModel,
  action: Action,
  filterPaths: InputPaths,
  readArguments: ReadListArguments,
): Resolve {
  const filterNames = [...filterPaths.values()].flatMap((path) => path.slice(-1));
  const list = toList(action, filterNames, assembly.overrides.listOrder?.[action.scope]);
  const output = createOutputReader(assembly, resource, action, 'PAGE', selectRows);
  const inputPaths: InputPaths = new Map([...PAGING_PATHS, ...filterPaths]);
  return async (parent, given, { operation }, info) => {
    const { filter, pathIds, check } = readArguments(parent, given);
    const { coordinate, projection, includes, count, reason } = output.needsOf(info);
    const path = fillPlaceholders(action, pathIds);
    const first = readFirst(given['first']);
    const after = typeof given['after'] === 'string' ? given['after'] : null;
    const request = { list, path, filter, includes, first, after, count, check };
    const read: Read = (call) => operation.calls.read(call, reason);
    const page = await withInputPaths(readPage(request, read), inputPaths, filter);
    const totalCount =
      page.totalCount !== null && page.totalCount <= GRAPHQL_MAX_INT ? page.totalCount : null;
    if (count && totalCount === null) operation.warn('COUNT_UNAVAILABLE', coordinate);
    if (page.isEmulated) operation.warn('PAGINATION_EMULATED', coordinate);
    if (page.lacksIncludes) operation.warn('INCLUDES_UNAVAILABLE', coordinate);
    if (page.unverified) operation.warn('PAGINATION_UNVERIFIED', coordinate, { ...page.unverified });
    const objects = output.read(page.rows, pathIds, projection, operation);
    const nodes = objects instanceof Promise ? await objects : objects;
    return new ConnectionPage(page, nodes, after !== null, totalCount);
  };
}

/** Returns the parts of a selection below a connection. */
function selectRows(info: GraphQLResolveInfo): SelectedRows {
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
