// Adds reverse edges: lists filtered by the object on which they are selected.

import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { NO_PATH_IDS, toInputId } from '../../loaders/identity.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';
import { isObject } from '../../upstream/json.ts';
import type { Steps } from '../../upstream/steps.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { isSameType } from '../model/parameters.ts';
import type { Placement } from '../model/placement.ts';
import { fieldNameOf } from '../names/naming.ts';
import { pluralOf } from '../names/read-names.ts';
import type { EdgeFilter } from '../resolve/edge-filters.ts';
import { PageReader, type ReadListArguments } from '../resolve/page-reader.ts';
import type { Begin } from '../resolve/projection.ts';
import { describeAction, haveSameLetters, paragraphs } from '../types/descriptions.ts';
import type { Inputs } from '../types/inputs.ts';
import { targetOf } from '../types/object-fields.ts';
import { nullOnlyWithError } from '../types/semantic-non-null.ts';
import { fieldOptions, type Resolve } from './field-options.ts';

interface Edge {
  readonly resource: ResourceModel;
  readonly index: Action;
  readonly parameter: ResourceParameter;
  readonly target: ResourceModel;
}

/** Adds each list of `Query` to the types by which it can be filtered, e.g. `Author.books`. */
export function* addReverseEdges(assembly: Assembly, reads: readonly Placement[]): Steps<void> {
  const lists = reads.filter(({ action, on }) => action.name === 'index' && on === 'root');
  for (const { resource, action: index } of lists) {
    for (const parameter of index.input.parameters) {
      const target = targetOf(assembly.model, parameter);
      if (parameter.type === 'Resource' && target !== null)
        addReverseEdge(assembly, { resource, index, parameter, target });
    }
    yield;
  }
}

function addReverseEdge(assembly: Assembly, edge: Edge): void {
  const { builder, types, overrides, connections, filters } = assembly;
  const { resource, index, parameter, target } = edge;
  const host = types.typeFor(target);
  if (host === null || target.identity.idPlaceholder === null) return;
  const edgeName = nameEdge(edge);
  const coordinate = `${target.typeName}.${edgeName}`;
  if (overrides.dropEdges?.includes(coordinate)) return;
  const name = host.fields.claim(
    host.fields.has(edgeName) ? nameByFilter(edge) : edgeName,
    `${index.scope} input.${parameter.name}`,
  );
  const filter = filters.without(resource, index, parameter);
  const ownField = filter.inputs.fields.find((field) => field.parameter === parameter)?.name;
  const description = `Further filters. The field sets \`${ownField ?? parameter.name}\` itself.`;
  const args = connections.declareArguments(filter, description);
  const { resolve, begin } = resolveEdge(assembly, edge, filter.inputs, coordinate);
  const options = {
    ...nullOnlyWithError(fieldOptions(connections.typeFor(resource, index), args, index, resolve)),
    description: describeEdge(edge),
  };
  builder.objectField(host.ref, name, (t) => t.field(options));
  assembly.sources.early.add(target, name, begin);
}

/** @param coordinate Coordinate of the edge for the record of ignored filters. */
function resolveEdge(
  assembly: Assembly,
  edge: Edge,
  inputs: Inputs,
  coordinate: string,
): { readonly resolve: Resolve; readonly begin: Begin } {
  const { resource, index, parameter, target } = edge;
  const ownField = inputs.fields.find((field) => field.parameter === parameter)?.name ?? parameter.name;
  const paths = new Map([...inputs.paths].filter(([name]) => name !== parameter.name));
  const edgeFilter = verifiableFilterOf(edge, coordinate);
  const readArguments: ReadListArguments = (object, given, operation, isEarly) => {
    const id = object instanceof Entity ? (object.requireIds().at(-1) ?? '') : '';
    const others = isObject(given['filter']) ? given['filter'] : {};
    if (others[ownField] !== undefined)
      throw new InvalidInputError(`The field sets "${ownField}" itself; omit it from the filter.`);
    // An object that has not arrived may not exist. The API may then answer other rows although the filter works.
    const isEvidence = !isEarly && Object.keys(others).length === 0;
    const use = { callerKey: operation.caller.key, id, isEvidence };
    const filter = inputs.read(others, operation.matchBudget, {
      [parameter.name]: toInputId(target.identity, id),
    });
    const check = edgeFilter === null ? undefined : assembly.edgeFilters.createCheck(edgeFilter, use);
    return { filter, path: [], pathIds: NO_PATH_IDS, check };
  };
  const reader = new PageReader(assembly, resource, index, paths, readArguments);
  return {
    resolve: (object, given, { operation }, info) => reader.read(object, given, operation, info),
    begin: (object, given, operation, info) => reader.begin(object, given, operation, info),
  };
}

/**
 * Returns the name of the list if the filter is named after its resource, otherwise `…By<Filter>`. A list of the object's own type is
 * `related…` then, because only the API knows how its rows are related to the object.
 */
function nameEdge(edge: Edge): string {
  const { resource, index, parameter, target } = edge;
  if (parameter.name !== target.path.at(-1)) return nameByFilter(edge);
  const plural = pluralOf(index);
  return target === resource ? fieldNameOf('related', plural) : fieldNameOf(plural);
}

function nameByFilter({ index, parameter }: Edge): string {
  return fieldNameOf(pluralOf(index), 'by', parameter.name);
}

/** Returns the filter of an edge if rows contain its association, so that its effect can be verified; otherwise null. */
function verifiableFilterOf({ index, parameter }: Edge, coordinate: string): EdgeFilter | null {
  const association = index.output.parameters.find((output) => output.name === parameter.name);
  if (association?.type !== 'Resource' || !isSameType(association, parameter)) return null;
  return { edge: coordinate, action: index.scope, parameter: parameter.name, association };
}

/** Describes an edge. For an edge to its own type it adds the filter's meaning: children, siblings, or something else. */
function describeEdge({ resource, index, parameter, target }: Edge): string {
  if (target !== resource) return describeAction(index);
  const { name, label, description } = parameter;
  const title = label !== null && haveSameLetters(label, name) ? null : label;
  const meaning = [title, description].filter((text) => text !== null && text !== '').join(' – ');
  return paragraphs([
    `The rows that the filter \`${name}\` matches for this object.`,
    meaning === ''
      ? 'The API defines what the filter matches.'
      : `The API describes the filter as “${meaning}”.`,
    describeAction(index),
  ]);
}
