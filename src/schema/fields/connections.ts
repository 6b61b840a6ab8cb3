// Creates the connection types and the arguments of fields that return them.
import type { Entity } from '../../loaders/entity.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import type { ResourceModel } from '../model/model.ts';
import { type ConnectionShape, DEFAULT_FIRST, MAX_FIRST } from '../resolve/page-reader.ts';
import type { Filter } from '../types/inputs.ts';
import type { EntityRef } from '../types/object-fields.ts';

type ConnectionRef = ReturnType<typeof createPageInfo>;

/** The value of an edge in resolvers. */
interface EdgeShape {
  readonly node: Entity;
  readonly row: ConnectionShape['rows'][number];
}

/** The connection types of one schema: one for each row type. */
export class ConnectionTypes {
  readonly #assembly: Pick<Assembly, 'builder' | 'names' | 'types'>;
  readonly #pageInfo: ConnectionRef;
  readonly #types = new Map<EntityRef, ConnectionRef>();

  constructor(assembly: Pick<Assembly, 'builder' | 'names' | 'types'>) {
    this.#assembly = assembly;
    this.#pageInfo = createPageInfo(assembly.builder);
  }

  /** Returns the connection type for the output of a list. */
  typeFor(resource: ResourceModel, action: Action): ConnectionRef {
    const { builder, names, types } = this.#assembly;
    const rowType = types.outputTypeFor(resource, action);
    const known = this.#types.get(rowType);
    if (known !== undefined) return known;
    const source = rowType === types.typeFor(resource)?.ref ? '' : action.name;
    const edge = createEdge(builder, names.nameFor(resource, 'edge', source), rowType);
    const name = names.nameFor(resource, 'connection', source);
    const ref = createConnection(builder, name, rowType, edge, this.#pageInfo);
    this.#types.set(rowType, ref);
    return ref;
  }

  /** Returns the Pothos arguments for paging and, if the list has filters, `filter`. */
  declareArguments({ ref, inputs }: Filter, description: string) {
    return this.#assembly.builder.args((t) => ({
      first: t.int({
        description: `The number of rows in the page, from 0 to ${MAX_FIRST}. Paging is forward only: there is no \`last\`.`,
        defaultValue: DEFAULT_FIRST,
      }),
      after: t.string({
        description: 'Returns the rows that come after the specified cursor. There is no `before`.',
      }),
      ...(ref === null ? {} : { filter: t.field({ type: ref, description, required: inputs.required }) }),
    }));
  }
}

function createPageInfo(builder: Builder) {
  return builder.objectRef<ConnectionShape>('PageInfo').implement({
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
        resolve: ({ rows }) => rows[0]?.cursor ?? null,
      }),
      endCursor: t.string({
        description: 'The cursor of the last edge. Pass it as `after` to fetch the next page.',
        resolve: ({ rows }) => rows.at(-1)?.cursor ?? null,
      }),
    }),
  });
}

function createEdge(builder: Builder, name: string, rowType: EntityRef) {
  return builder.objectRef<EdgeShape>(name).implement({
    description: 'An edge in a connection.',
    fields: (t) => ({
      cursor: t.string({
        nullable: false,
        description: 'The cursor of this row, for use as `after`.',
        resolve: ({ row }) => row.cursor,
      }),
      node: t.field({
        type: rowType,
        nullable: false,
        description: 'The row at the end of the edge.',
        resolve: ({ node }) => node,
      }),
    }),
  });
}

function createConnection(
  builder: Builder,
  name: string,
  rowType: EntityRef,
  edge: ReturnType<typeof createEdge>,
  pageInfo: ConnectionRef,
) {
  return builder.objectRef<ConnectionShape>(name).implement({
    description: `A page of a list of ${rowType.name}. The rows come in the order of the API, unless the list offers another one in its arguments.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'A list of edges.',
        nullable: { list: false, items: false },
        resolve: ({ nodes, rows }) =>
          rows.flatMap((row, index) => {
            const node = nodes[index];
            return node === undefined ? [] : [{ node, row }];
          }),
      }),
      nodes: t.field({
        type: [rowType],
        description: 'A list of rows.',
        nullable: { list: false, items: false },
        resolve: ({ nodes }) => nodes,
      }),
      pageInfo: t.field({
        type: pageInfo,
        nullable: false,
        description: 'Information to aid in pagination.',
        resolve: (page) => page,
      }),
      totalCount: t.expose('totalCount', {
        type: 'SafeInt',
        description:
          'The number of rows in the whole list, regardless of the page. Null with a warning if the API does not count them.',
      }),
    }),
  });
}
