// Adds reverse edges: lists filtered by the object on which they are selected.
import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { NO_PATH_IDS, toInputId } from '../../loaders/identity.ts';
import { isObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import { describeAction, haveSameLetters, paragraphs } from '../descriptions/descriptions.ts';
import { filteredOutputOf, type NamedEdge } from '../names/edge-names.ts';
import { fieldNameOf, withResource } from '../names/naming.ts';
import { ofAction } from '../origin.ts';
import type { EdgeFilter } from '../resolve/edge-filters.ts';
import { PageReader, type ReadListArguments } from '../resolve/page-reader.ts';
import type { Inputs } from '../types/inputs.ts';
import { nullOnlyWithError } from '../types/semantic-non-null.ts';
import { fieldOptions } from './field-options.ts';

/** Adds each list of `Query` to the types by which it can be filtered, e.g. `Author.books`. */
export function addReverseEdges(assembly: Assembly): void {
  for (const edge of assembly.edges) addReverseEdge(assembly, edge);
}

function addReverseEdge(assembly: Assembly, edge: NamedEdge): void {
  const { builder, types, overrides, connections, filters } = assembly;
  const { resource, index, parameter, target } = edge;
  const host = types.typeFor(target);
  if (host === null || target.identity.idPlaceholder === null) return;
  if (overrides.dropEdges?.includes(`${target.typeName}.${edge.name}`)) return;
  const name = host.fields.claim(edge.name, `${index.scope} input.${parameter.name}`, withResource);
  const filter = filters.without(resource, index, parameter);
  const ownField = filter.inputs.fields.find((field) => field.parameter === parameter)?.name;
  const description = `Further filters. The field sets \`${ownField ?? parameter.name}\` itself.`;
  const args = connections.declareArguments(filter, description);
  const { read } = createReader(assembly, edge, filter.inputs, `${target.typeName}.${name}`);
  const options = nullOnlyWithError({
    ...fieldOptions(connections.typeFor(resource, index), args, index, read),
    ...ofAction(index, parameter),
    description: describeEdge(edge),
  });
  builder.objectField(host.ref, name, (t) => t.field(options));
}

/** @param coordinate Coordinate of the edge for findings. */
function createReader(assembly: Assembly, edge: NamedEdge, inputs: Inputs, coordinate: string): PageReader {
  const { resource, index, parameter, target } = edge;
  const ownField = inputs.fields.find((field) => field.parameter === parameter)?.name ?? parameter.name;
  const paths = new Map([...inputs.paths].filter(([name]) => name !== parameter.name));
  const edgeFilter = verifiableFilterOf(edge, coordinate);
  const readArguments: ReadListArguments = (object, given) => {
    const id = object instanceof Entity ? (object.requireIds().at(-1) ?? '') : '';
    const others = isObject(given['filter']) ? given['filter'] : {};
    if (others[ownField] !== undefined)
      throw new InvalidInputError(`The field sets "${ownField}" itself; omit it from the filter.`);
    const filter = inputs.read(others, { [parameter.name]: toInputId(target.identity, id) });
    const isEvidence = Object.keys(others).length === 0;
    const check = edgeFilter ? assembly.edgeFilters.createCheck(edgeFilter, id, isEvidence) : undefined;
    return { filter, path: [], pathIds: NO_PATH_IDS, check };
  };
  return new PageReader(assembly, resource, index, paths, readArguments);
}

/** Returns the filter of an edge if rows contain its association, so that its effect can be verified; otherwise null. */
function verifiableFilterOf(namedEdge: NamedEdge, coordinate: string): EdgeFilter | null {
  const association = filteredOutputOf(namedEdge);
  if (association === undefined) return null;
  const { index, parameter } = namedEdge;
  return { edge: coordinate, action: index.scope, parameter: parameter.name, association };
}

/** Describes an edge: which rows it has where its name alone does not say this, and what a filter means that rows do not show. */
function describeEdge(edge: NamedEdge): string {
  const { resource, index, parameter, target } = edge;
  if (target !== resource && filteredOutputOf(edge) !== undefined) {
    const isNamed = parameter.name !== target.path.at(-1);
    return paragraphs([
      isNamed
        ? `The rows whose \`${fieldNameOf(parameter.name)}\` is ${parameter.type === 'Resource' ? '' : 'the ID of '}this object.`
        : null,
      describeAction(index),
    ]);
  }
  const { name, label, description } = parameter;
  const title = label !== null && haveSameLetters(label, name) ? null : label;
  const meaning = [title, description].filter((text) => text !== null && text !== '').join(' – ');
  return paragraphs([
    `The rows that the filter \`${name}\` matches for this object.`,
    meaning !== ''
      ? `The API describes the filter as “${meaning}”.`
      : target === resource
        ? 'The API defines what the filter matches.'
        : null,
    describeAction(index),
  ]);
}
