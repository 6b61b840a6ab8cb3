// Adds reverse edges: lists filtered by the object on which they are selected.
import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { NO_PATH_IDS, toInputId } from '../../loaders/identity.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import { describeAction, haveSameLetters, paragraphs } from '../descriptions/descriptions.ts';
import { filteredOutputOf, type NamedEdge } from '../names/edge-names.ts';
import { fieldNameOf, withResource } from '../names/naming.ts';
import { createPageResolver, type ReadListArguments } from '../resolve/page-reader.ts';
import { fieldOptions, nullOnlyWithError } from '../types/outputs.ts';
import { pageArguments } from './connections.ts';

/** Adds each list of `Query` to the types by which it can be filtered, e.g. `Author.books`. */
export function addReverseEdges(assembly: Assembly): void {
  for (const edge of assembly.edges) addReverseEdge(assembly, edge);
}

function addReverseEdge(assembly: Assembly, edge: NamedEdge): void {
  const { builder, types, overrides } = assembly;
  const { resource, index, parameter, target } = edge;
  const host = types.typeFor(target);
  if (host === null || target.identity.idPlaceholder === null) return;
  if (overrides.dropEdges?.includes(`${target.typeName}.${edge.name}`)) return;
  const name = host.fields.claim(edge.name, `${index.scope} input.${parameter.name}`, withResource);
  const filter = assembly.filterFor(resource, index, parameter);
  const { fields, paths } = filter.inputs;
  const ownField = fields.find((field) => field.parameter === parameter)?.name ?? parameter.name;
  const description = `Further filters. The field sets \`${ownField}\` itself.`;
  const args = pageArguments(builder, filter, description);
  const checkFor = createRowCheck(assembly, edge, `${target.typeName}.${name}`);
  const readArguments: ReadListArguments = (object, given) => {
    const id = object instanceof Entity ? (object.requireIds().at(-1) ?? '') : '';
    const others = isObject(given['filter']) ? given['filter'] : {};
    if (others[ownField] !== undefined)
      throw new InvalidInputError(`The field sets "${ownField}" itself; omit it from the filter.`);
    const input = filter.inputs.read(others, { [parameter.name]: toInputId(target.identity, id) });
    const check = checkFor?.(id, Object.keys(others).length === 0);
    return { filter: input, pathIds: NO_PATH_IDS, check };
  };
  const otherPaths = new Map([...paths].filter(([own]) => own !== parameter.name));
  const resolve = createPageResolver(assembly, resource, index, otherPaths, readArguments);
  const options = nullOnlyWithError({
    ...fieldOptions(assembly.connectionFor(resource, index), args, index, resolve),
    extensions: { action: index, filter: parameter },
    description: describeEdge(edge),
  });
  builder.objectField(host.ref, name, (t) => t.field(options));
}

/**
 * Creates the function that makes the check of rows for one object. The check throws an UpstreamProtocolError if a row belongs to another
 * object, because the API ignores the filter or replaces its value by the ID of the caller's own object. Null where rows do not contain
 * the association.
 * @param coordinate Coordinate of the edge for the finding, of which there is one at most.
 */
function createRowCheck({ report }: Assembly, edge: NamedEdge, coordinate: string) {
  const association = filteredOutputOf(edge);
  if (association === undefined) return null;
  const { scope: action } = edge.index;
  const { name: filter } = edge.parameter;
  let isReported = false;
  /** @param isEvidence Whether rows prove something about this filter. Another filter may widen the list. */
  return (id: string, isEvidence: boolean) => (rows: readonly JsonObject[]) => {
    if (rows.every((row) => mayBelongTo(row, association, id))) return;
    if (isEvidence && !isReported) {
      isReported = true;
      const reason = `the API returns rows of other objects for this filter, so ${coordinate} returns an error; remove the field with the overrides: "dropEdges": ["${coordinate}"]`;
      report.addLate('FILTER_IGNORED', `${action} input.${filter}`, reason);
    }
    const message = `The management API ignores the filter ${filter} of this list and returns rows of other objects; no rows are shown.`;
    throw new UpstreamProtocolError(message, { action });
  };
}

/** Whether a row belongs to an object. A row with an absent or hidden association may. */
function mayBelongTo(row: JsonObject, association: Parameter, id: string): boolean {
  const value = row[association.name];
  if (value === undefined) return true;
  if (!isObject(value)) return String(value) === id;
  const valueId = association.type === 'Resource' ? association.valueId : '';
  return !(valueId in value) || String(value[valueId]) === id;
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
