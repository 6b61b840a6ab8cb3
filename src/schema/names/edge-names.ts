// Names reverse edges: lists on the objects by which they can be filtered.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import { findAction, type Model, pathKey, type ResourceModel, targetOf } from '../model/model.ts';
import { isSameType } from '../model/parameters.ts';
import { findHost, placeAction } from '../model/placement.ts';
import { type References, referredNameOf } from '../model/references.ts';
import { capitalize, fieldNameOf, lowerFirst, wordsOf } from './naming.ts';
import { edgeListNameOf } from './read-names.ts';

/** A list of the root, and the filter by which it is a field of an object. */
interface Edge {
  readonly resource: ResourceModel;
  readonly index: Action;
  readonly parameter: Parameter;
  /** The resource of the objects that have the field. */
  readonly target: ResourceModel;
}

/** An edge and its name. */
export interface NamedEdge extends Edge {
  readonly name: string;
}

/** Finds the reverse edges that a description offers. */
const findEdges = (model: Model, references: References): readonly Edge[] =>
  [...model.values()].flatMap((resource) => {
    const index = findAction(resource.reads, 'index');
    if (index === null || findHost(placeAction(resource, index))?.kind !== 'root') return [];
    return index.input.parameters.flatMap((parameter) => {
      const target = targetOf(model, parameter) ?? references.targetOfFilter(resource, parameter);
      return target === undefined ? [] : [{ resource, index, parameter, target }];
    });
  });

/**
 * Finds the reverse edges that a description offers, and names them. An edge gets the first of its names that neither a field of the
 * object has nor another edge could have; its full name also where another one could have it as its short one.
 */
export function nameEdges(
  model: Model,
  references: References,
  ownFields: ReadonlyMap<ResourceModel, ReadonlySet<string>>,
): readonly NamedEdge[] {
  /** How many edges of an object could have a name, and how many have it in full. */
  const counts = { any: new Map<string, number>(), full: new Map<string, number>() };
  const count = (all: Map<string, number>, key: string) => all.set(key, (all.get(key) ?? 0) + 1);
  const edges = findEdges(model, references).map((edge) => {
    const { target } = edge;
    const taken = new Set([
      ...(ownFields.get(target) ?? []),
      ...references.on(target).map(({ name }) => name),
    ]);
    const all = namesOf(edge);
    const names = all.filter((name) => !taken.has(name));
    for (const name of names) count(counts.any, `${target.typeName}.${name}`);
    count(counts.full, `${target.typeName}.${names.at(-1)}`);
    return { edge, names, fallback: all.at(-1) ?? '' };
  });
  return edges.map(({ edge, names, fallback }) => {
    const isOwn = (name: string): boolean => {
      const rivals = name === names.at(-1) ? counts.full : counts.any;
      return rivals.get(`${edge.target.typeName}.${name}`) === 1;
    };
    return { ...edge, name: names.find(isOwn) ?? fallback };
  });
}

/** Returns the association of the rows that the filter of an edge matches; undefined if the rows do not have it. */
export const filteredOutputOf = ({ index, parameter }: Edge): Parameter | undefined =>
  index.output.parameters.find((output) => output.name === parameter.name && isSameType(output, parameter));

/** Whether the objects also refer to one row of the list, but rows do not refer to the objects: the edge is not its reverse. */
const isBesideAssociation = (edge: Edge): boolean =>
  filteredOutputOf(edge) === undefined &&
  [...edge.target.parameters.values()].some(
    (own) => own.type === 'Resource' && pathKey(own.resource) === pathKey(edge.resource.path),
  );

/** The names that an edge may have, the best first. */
function namesOf(edge: Edge): readonly string[] {
  const { resource, index, parameter, target } = edge;
  const list = edgeListNameOf(resource, index);
  const filter = referredNameOf(parameter.name) ?? parameter.name;
  if (filter === target.path.at(-1) && target === resource) return [`related${capitalize(list)}`];
  const short = withoutCommonWords(list, target);
  const lists = [...(short === null ? [] : [short]), list];
  if (filter === target.path.at(-1) && !isBesideAssociation(edge)) return lists;
  const role = filteredOutputOf(edge) === undefined ? 'By' : 'As';
  return lists.map((name) => nameByFilter(name, filter, role));
}

/** Returns a list's name without the words with which it begins as the type of the object does; null when there are none, or no others. */
function withoutCommonWords(list: string, { typeName }: ResourceModel): string | null {
  const words = wordsOf(capitalize(list));
  const ofType = wordsOf(typeName);
  const length = words.findIndex((word, index) => word !== ofType[index]);
  const short = lowerFirst(words.slice(length).join(''));
  return length <= 0 || !/^[a-z]/.test(short) ? null : short;
}

/** `filed_by`, or `assigned_by_chain`, as a part of what was done with the rows. */
const PARTICIPLE = /^([a-z]+ed)_by(?:_|$)/;
/** `shares_networks_with`. */
const VERB = /^([a-z]+?)e?s_(.+)_with$/;

/**
 * Names a list by a filter that is not called as its resource is.
 * @param role `As` where the rows refer to the object by the filter's name, else `By`.
 */
function nameByFilter(list: string, filter: string, role: 'As' | 'By'): string {
  const [, participle] = PARTICIPLE.exec(filter) ?? [];
  if (participle !== undefined) return participle + capitalize(list);
  const [, verb, rest] = VERB.exec(filter) ?? [];
  if (verb !== undefined && rest !== undefined)
    return `${list}${capitalize(fieldNameOf(`${verb}ing`, rest))}`;
  return `${list}${role}${capitalize(fieldNameOf(filter))}`;
}
