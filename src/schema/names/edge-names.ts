// Names reverse edges: lists on the objects by which they can be filtered.

import type { Action, ResourceParameter } from '../../upstream/description/description.ts';
import { type Model, pathKey, type ResourceModel } from '../model/model.ts';
import { findHost, placeAction } from '../model/placement.ts';
import { capitalize, fieldNameOf, lowerFirst, type ReservedNames } from './naming.ts';
import { edgeListNameOf, nameRead } from './read-names.ts';

/** A list of the root, and the filter by which it is a field of an object. */
export interface NamedEdge {
  readonly resource: ResourceModel;
  readonly index: Action;
  readonly parameter: ResourceParameter;
  /** The resource of the objects that have the field. */
  readonly target: ResourceModel;
}

/** Finds the reverse edges that a description offers. */
export function* findEdges(model: Model): Generator<NamedEdge> {
  for (const resource of model.values())
    for (const index of resource.reads) {
      if (index.name !== 'index' || findHost(placeAction(resource, index))?.kind !== 'root') continue;
      for (const parameter of index.input.parameters) {
        const target = parameter.type === 'Resource' ? model.get(pathKey(parameter.resource)) : undefined;
        if (parameter.type === 'Resource' && target !== undefined)
          yield { resource, index, parameter, target };
      }
    }
}

/**
 * Names the reverse edges of the operator's description, so that names do not depend on what a caller may see. An edge gets the first of
 * its names that neither a field of the object has nor another edge could have; its full name also where another one could have it as
 * its short one.
 * @returns The names by scope and filter.
 */
export function nameEdges(model: Model, reserved: ReservedNames): ReadonlyMap<string, string> {
  const ownFields = ownFieldsOf(model, reserved);
  const byTarget = new Map<ResourceModel, { readonly key: string; readonly names: readonly string[] }[]>();
  for (const edge of findEdges(model)) {
    const taken = ownFields.get(edge.target);
    const names = namesOf(edge).filter((name) => taken?.has(name) !== true);
    byTarget.set(edge.target, [...(byTarget.get(edge.target) ?? []), { key: edgeKey(edge), names }]);
  }
  const planned = new Map<string, string>();
  for (const edges of byTarget.values())
    for (const { key, names } of edges) {
      const rivals = edges.filter((other) => other.key !== key);
      const name = names.find((wanted) =>
        rivals.every((other) =>
          wanted === names.at(-1) ? other.names.at(-1) !== wanted : !other.names.includes(wanted),
        ),
      );
      if (name !== undefined) planned.set(key, name);
    }
  return planned;
}

/** Identifies an edge. */
export const edgeKey = ({ index, parameter }: NamedEdge): string => `${index.scope} ${parameter.name}`;

/** The full name of an edge, for one that the operator's description lacks. */
export const fullEdgeName = (edge: NamedEdge): string => namesOf(edge).at(-1) ?? '';

/** The names that an edge may have, the best first. */
function namesOf({ resource, index, parameter, target }: NamedEdge): readonly string[] {
  const list = edgeListNameOf(resource, index);
  if (parameter.name !== target.path.at(-1)) return [nameByFilter(list, parameter.name)];
  if (target === resource) return [`related${capitalize(list)}`];
  const short = withoutCommonWords(list, target);
  return [...(short === null ? [] : [short]), list];
}

/** Returns a list's name without the words with which it begins as the type of the object does; null when there are none, or no others. */
function withoutCommonWords(list: string, { typeName }: ResourceModel): string | null {
  const words = wordsOf(capitalize(list));
  const ofType = wordsOf(typeName);
  const length = words.findIndex((word, index) => word !== ofType[index]);
  const short = lowerFirst(words.slice(length).join(''));
  return length <= 0 || !/^[a-z]/.test(short) ? null : short;
}

const wordsOf = (name: string): readonly string[] => name.match(/[A-Z][^A-Z]*/g) ?? [];

/** `filed_by`, or `assigned_by_chain`, as a part of what was done with the rows. */
const PARTICIPLE = /^([a-z]+ed)_by(?:_|$)/;
/** `shares_networks_with`. */
const VERB = /^([a-z]+?)e?s_(.+)_with$/;

/** Names a list by a filter that is not called as its resource is. */
function nameByFilter(list: string, filter: string): string {
  const [, participle] = PARTICIPLE.exec(filter) ?? [];
  if (participle !== undefined) return participle + capitalize(list);
  const [, verb, rest] = VERB.exec(filter) ?? [];
  if (verb !== undefined && rest !== undefined)
    return `${list}${capitalize(fieldNameOf(`${verb}ing`, rest))}`;
  return `${list}By${capitalize(fieldNameOf(filter))}`;
}

/** The fields that the objects of each resource have besides edges. */
function ownFieldsOf(model: Model, reserved: ReservedNames): ReadonlyMap<ResourceModel, ReadonlySet<string>> {
  const fields = new Map<ResourceModel, Set<string>>();
  for (const resource of model.values())
    fields.set(
      resource,
      new Set([
        'id',
        'databaseId',
        'label',
        ...[...resource.parameters.keys()].map((name) => fieldNameOf(name)),
      ]),
    );
  for (const resource of model.values())
    for (const action of resource.reads) {
      const placement = placeAction(resource, action);
      const host = findHost(placement);
      if (host?.resource) fields.get(host.resource)?.add(nameRead(placement, host.kind, reserved));
    }
  return fields;
}
