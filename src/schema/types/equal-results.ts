// Finds the writes whose results are equal, and so are of one type.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { appendName, commonWordsOf, resultNameOf } from '../names/naming.ts';
import { outputFieldOf } from './outputs.ts';

/** A write with a result of its own. */
interface Write {
  readonly resource: ResourceModel;
  readonly action: Action;
}

/** What writes with equal results share. */
export interface EqualResults {
  /** The write that decides their type. */
  readonly first: Write;
  /** The words that the names of their results have in common. */
  readonly name: string;
  /** The parameters for which each field of the type stands. */
  readonly parameters: ReadonlyMap<string, readonly Parameter[]>;
}

/**
 * Finds the writes whose results have equal fields, by action. They are of one resource of the top, whose name theirs begin with.
 * @param isOwn Whether a write has a result of its own, instead of an object of its resource.
 */
export function findEqualResults(
  assembly: Assembly,
  isOwn: (resource: ResourceModel, action: Action) => boolean,
): ReadonlyMap<Action, EqualResults> {
  const groups = new Map<string, Write[]>();
  for (const resource of assembly.model.values())
    for (const action of resource.writes) {
      if (action.output.parameters.length === 0 || !isOwn(resource, action)) continue;
      const key = keyOf(assembly, { resource, action });
      groups.set(key, [...(groups.get(key) ?? []), { resource, action }]);
    }
  const found = new Map<Action, EqualResults>();
  for (const writes of groups.values()) {
    const [first] = writes;
    if (first === undefined || writes.length === 1) continue;
    const names = writes.map(({ resource, action }) => appendName(resource.baseName, resultNameOf(action)));
    const all = writes.flatMap(({ action }) => action.output.parameters);
    const parameters = new Map(all.map(({ name }) => [name, all.filter((one) => one.name === name)]));
    const shared = { first, name: commonWordsOf(names).join(''), parameters };
    for (const { action } of writes) found.set(action, shared);
  }
  return found;
}

/** Ids and associations depend on the whole path, other values on their types only. */
function keyOf(assembly: Assembly, { resource, action }: Write): string {
  const { parameters } = action.output;
  const isOfPath = parameters.some(({ type }) => type === 'Resource' || type === 'Integer');
  const fields = parameters.map((parameter) => {
    const { type } = outputFieldOf(assembly, resource, parameter, '');
    const typeName = Array.isArray(type) ? `[${type}]` : String(type);
    return String([parameter.name, parameter.type, parameter.required, typeName]);
  });
  return JSON.stringify([isOfPath ? pathKey(resource.path) : resource.path[0], ...fields.sort()]);
}
