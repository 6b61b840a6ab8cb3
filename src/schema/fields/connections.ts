// Creates the connection types and the arguments of fields that return them.
import type { Action } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import type { Builder } from '../builder.ts';
import { memo } from '../memo.ts';
import type { ResourceModel } from '../model/model.ts';
import { rowNameOf } from '../names/naming.ts';
import { nameType } from '../names/type-names.ts';
import { type ConnectionPage, DEFAULT_FIRST, type Edge, MAX_FIRST } from '../resolve/page-reader.ts';
import type { Filter } from '../types/inputs.ts';
import type { EntityRef } from '../types/object-fields.ts';

/** Creates the function that returns the connection type for the output of a list: one for each type of rows. */
export function createConnections(assembly: Assembly) {
  const { builder, types } = assembly;
  const pageInfo = createPageInfo(builder);
  const typeOf = memo((rowType: EntityRef, resource: ResourceModel, action: Action) => {
    const words = rowType === types.typeFor(resource)?.ref ? '' : rowNameOf(action);
    const edge = builder.objectRef<Edge>(nameType(assembly, resource, words, 'edge')).implement({
      description: 'An edge in a connection.',
      fields: (t) => ({
        cursor: t.exposeString('cursor', {
          nullable: false,
          description: 'The cursor of this row, for use as `after`.',
        }),
        node: t.expose('node', {
          type: rowType,
          nullable: false,
          description: 'The row at the end of the edge.',
        }),
      }),
    });
    const nullable = { list: false, items: false } as const;
    return builder.objectRef<ConnectionPage>(nameType(assembly, resource, words, 'connection')).implement({
      description: `A page of a list of ${rowType.name}. The rows come in the order of the API, unless the list offers another one in its arguments.`,
      fields: (t) => ({
        edges: t.expose('edges', { type: [edge], nullable, description: 'A list of edges.' }),
        nodes: t.expose('nodes', { type: [rowType], nullable, description: 'A list of rows.' }),
        pageInfo: t.expose('pageInfo', {
          type: pageInfo,
          nullable: false,
          description: 'Information to aid in pagination.',
        }),
        totalCount: t.expose('totalCount', {
          type: 'Int',
          description:
            'The number of rows in the whole list, regardless of the page. Null with the warning `COUNT_UNAVAILABLE` if the API does not count them, or there are more than 2147483647.',
        }),
      }),
    });
  });
  return (resource: ResourceModel, action: Action) =>
    typeOf(types.outputTypeFor(resource, action), resource, action);
}

/** Returns the Pothos arguments for paging and, if the list has filters, `filter`. */
export const pageArguments = (builder: Builder, { ref, inputs }: Filter, description: string) =>
  builder.args((t) => ({
    first: t.int({
      description: `The number of rows in the page, from 0 to ${MAX_FIRST}. Paging is forward only: there is no \`last\`.`,
      defaultValue: DEFAULT_FIRST,
    }),
    after: t.string({
      description: 'Returns the rows that come after the specified cursor. There is no `before`.',
    }),
    ...(ref === null ? {} : { filter: t.field({ type: ref, description, required: inputs.required }) }),
  }));

function createPageInfo(builder: Builder) {
  return builder.objectRef<ConnectionPage>('PageInfo').implement({
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
      startCursor: t.exposeString('startCursor', { description: 'The cursor of the first edge.' }),
      endCursor: t.exposeString('endCursor', {
        description: 'The cursor of the last edge. Pass it as `after` to fetch the next page.',
      }),
    }),
  });
}
