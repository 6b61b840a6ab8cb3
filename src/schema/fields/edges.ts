// Adds reverse edges: lists filtered by the object on which they are selected.

import { Entity } from '../../loaders/entity.ts';
import { toInputId } from '../../loaders/identity.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import { lastFixedSegment } from '../../upstream/http/path-template.ts';
import { isObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { toList } from '../model/list-paging.ts';
import { isSameType, pathKey, type ResourceModel } from '../model/model.ts';
import { fieldNameOf } from '../names/naming.ts';
import { describeAction, paragraphs } from '../types/descriptions.ts';
import type { Filters } from '../types/filters.ts';
import { type Connections, DEFAULT_FIRST } from './connections.ts';
import type { EdgeFilter } from './edge-filters.ts';
import { AFTER_DESCRIPTION, FIRST_DESCRIPTION, fieldOptions, pageArguments, type Resolve } from './reads.ts';

/** Adds a list to each type by which the list can be filtered, e.g. `Author.books`. */
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
  const { builder, types, overrides, edgeFilters } = assembly;
  const { resource, index, parameter, target } = edge;
  const host = types.typeFor(target);
  const filter = filters.without(resource, index, parameter);
  if (host === null || filter === null || target.identity.idPlaceholder === null) return;
  const edgeName = nameEdge(edge);
  if (overrides.dropEdges?.includes(`${target.typeName}.${edgeName}`)) return;
  const name = host.fields.claim(
    host.fields.has(edgeName) ? nameByFilter(edge) : edgeName,
    `${index.scope} input.${parameter.name}`,
  );
  const ownField = filter.fields.find((field) => field.parameter === parameter)?.name ?? parameter.name;
  const connection = connections.connectionFor(resource, toList(index));
  const edgeFilter = verifiableFilterOf(edge, edgeName);
  const args = builder.args((t) => ({
    first: t.int({ description: FIRST_DESCRIPTION, defaultValue: DEFAULT_FIRST }),
    after: t.string({ description: AFTER_DESCRIPTION }),
    ...(filter.ref === undefined
      ? {}
      : {
          filter: t.field({
            type: filter.ref,
            description: `Further filters. The field sets \`${ownField}\` itself.`,
            required: filter.fields.some(
              (field) => field.parameter.required && field.parameter !== parameter,
            ),
          }),
        }),
  }));
  const resolve: Resolve = (object, given, { operation }, info) => {
    const id = object instanceof Entity ? (object.requireIds().at(-1) ?? '') : '';
    const others = given['filter'];
    if (isObject(others) && others[ownField] !== undefined) {
      throw new InvalidInputError(`The field sets "${ownField}" itself; omit it from the filter.`);
    }
    const isFilteredFurther = isObject(others) && Object.keys(others).length > 0;
    const use = { callerKey: operation.caller.key, id, isFilteredFurther };
    return connection.resolve(
      {
        ...pageArguments(given),
        filter: filter.read(operation.matcher, others, { [parameter.name]: toInputId(target.identity, id) }),
        path: [],
        pathIds: new Map(),
        check: edgeFilter === null ? undefined : edgeFilters.createCheck(edgeFilter, use),
      },
      operation,
      info,
    );
  };
  const options = { ...fieldOptions(connection.ref, args, index, resolve), description: describeEdge(edge) };
  builder.objectField(host.ref, name, (t) => t.field(options));
}

/** Returns the name of the list if the filter is named after its resource, otherwise `…By<Filter>`. */
function nameEdge(edge: Edge): string {
  const { resource, index, parameter, target } = edge;
  const isNamedAfterTarget = parameter.name === target.path.at(-1) && target !== resource;
  return isNamedAfterTarget
    ? fieldNameOf(index.output.namespace ?? lastFixedSegment(index.path))
    : nameByFilter(edge);
}

function nameByFilter({ index, parameter }: Edge): string {
  return fieldNameOf(index.output.namespace ?? lastFixedSegment(index.path), 'by', parameter.name);
}

/** Returns the filter of an edge if rows contain its association, so that its effect can be verified; otherwise null. */
function verifiableFilterOf({ index, parameter, target }: Edge, name: string): EdgeFilter | null {
  const association = index.output.parameters.find((output) => output.name === parameter.name);
  if (association?.type !== 'Resource' || !isSameType(association, parameter)) return null;
  const edge = `${target.typeName}.${name}`;
  return { edge, action: index.scope, parameter: parameter.name, association };
}

/** Describes an edge. For an edge to its own type it adds the filter's meaning: children, siblings, or something else. */
function describeEdge({ resource, index, parameter, target }: Edge): string {
  if (target !== resource) return describeAction(index);
  const { name, label, description } = parameter;
  const title = label !== null && lettersOf(label) === lettersOf(name) ? null : label;
  const meaning = [title, description].filter((text) => text !== null && text !== '').join(' – ');
  return paragraphs([
    `The rows that the filter \`${name}\` matches for this object.`,
    meaning === ''
      ? 'The API defines what the filter matches.'
      : `The API describes the filter as “${meaning}”.`,
    describeAction(index),
  ]);
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '');
