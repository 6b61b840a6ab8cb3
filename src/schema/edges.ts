import { Entity } from '../loaders/entity.ts';
import { toInputId } from '../loaders/identity.ts';
import type { Action, ResourceParameter } from '../upstream/description.ts';
import { InvalidInputError, UpstreamProtocolError } from '../upstream/errors.ts';
import { lastFixedSegment } from '../upstream/path-template.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import type { Assembly } from './assembly.ts';
import type { Connections } from './connections.ts';
import type { Filters } from './filters.ts';
import { listOf } from './lists.ts';
import { isSameType, pathKey, type ResourceModel } from './model.ts';
import { fieldNameOf } from './naming.ts';
import { fieldOptions, pageArguments, type Resolve } from './reads.ts';

/** Adds to the referred types the lists that can be filtered by them, e.g. `Author.books`. */
export function addReverseEdges(
  assembly: Assembly,
  connections: Connections,
  filters: Filters,
  resource: ResourceModel,
  index: Action,
): void {
  for (const parameter of index.input.parameters) {
    if (parameter.type !== 'Resource') continue;
    const target = assembly.model.get(pathKey(parameter.resource));
    if (target !== undefined)
      addReverseEdge(assembly, connections, filters, { resource, index, parameter, target });
  }
}

interface Edge {
  readonly resource: ResourceModel;
  readonly index: Action;
  readonly parameter: ResourceParameter;
  readonly target: ResourceModel;
}

function addReverseEdge(assembly: Assembly, connections: Connections, filters: Filters, edge: Edge): void {
  const { builder, types, overrides } = assembly;
  const { resource, index, parameter, target } = edge;
  const host = types.of(target);
  const filter = filters.without(resource, index, parameter);
  if (host === null || filter === null || target.identity.idPlaceholder === null) return;
  const plain = nameEdge(edge);
  if (overrides.dropEdges?.includes(`${target.typeName}.${plain}`)) return;
  const name = host.fields.claim(
    host.fields.has(plain) ? nameByFilter(edge) : plain,
    `${index.scope} input.${parameter.name}`,
  );
  const own = filter.fields.find((field) => field.parameter === parameter)?.name ?? parameter.name;
  const connection = connections.of(resource, listOf(index));
  const args = builder.args((t) => ({
    first: t.int({ description: 'Rows in the page: from 0 to 1000.', defaultValue: 25 }),
    after: t.string({ description: 'Cursor of the row that the page follows.' }),
    ...(filter.ref === undefined
      ? {}
      : {
          filter: t.field({
            type: filter.ref,
            description: `Besides \`${own}\`, which the edge sets itself.`,
            required: filter.fields.some(
              (field) => field.parameter.required && field.parameter !== parameter,
            ),
          }),
        }),
  }));
  const resolve: Resolve = (object, given, { operation }, info) => {
    const id = object instanceof Entity ? (object.requireIds().at(-1) ?? '') : '';
    const others = given['filter'];
    if (isObject(others) && others[own] !== undefined) {
      throw new InvalidInputError(`"${own}" is set by the edge itself; leave it out of the filter.`);
    }
    return connection.resolve(
      {
        ...pageArguments(given),
        filter: filter.read(others, { [parameter.name]: toInputId(target.identity, id) }),
        path: [],
        cameBy: new Map(),
        check: rowCheck(edge, id),
      },
      operation,
      info,
    );
  };
  builder.objectField(host.ref, name, (t) => t.field(fieldOptions(connection.ref, args, index, resolve)));
}

/** The list's plain name where the filter bears the name of what it refers to, else `…By<Filter>`. */
function nameEdge(edge: Edge): string {
  const { resource, index, parameter, target } = edge;
  const isPlain = parameter.name === target.path.at(-1) && target !== resource;
  return isPlain ? fieldNameOf(index.output.namespace ?? lastFixedSegment(index.path)) : nameByFilter(edge);
}

function nameByFilter({ index, parameter }: Edge): string {
  return fieldNameOf(index.output.namespace ?? lastFixedSegment(index.path), 'by', parameter.name);
}

/**
 * Refuses rows of another object than the one the edge stands on: servers ignore filters silently. Rows tell it only where
 * they carry the same association, and not where that is hidden.
 */
function rowCheck({ index, parameter }: Edge, expected: string): ((row: JsonObject) => void) | undefined {
  const association = index.output.parameters.find(({ name }) => name === parameter.name);
  if (association?.type !== 'Resource' || !isSameType(association, parameter)) return undefined;
  return (row) => {
    const value = row[association.name];
    if (value === undefined || (isObject(value) && !(association.valueId in value))) return;
    const id = isObject(value) ? value[association.valueId] : value;
    if (String(id) === expected) return;
    throw new UpstreamProtocolError(
      `The management API ignored the filter ${parameter.name} and answered rows of others; they are not shown.`,
      { action: index.scope },
    );
  };
}
