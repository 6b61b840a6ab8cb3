// Finds the writes whose results are equal, and so are of one type.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { appendName, commonWordsOf, resultNameOf } from '../names/naming.ts';
import { outputFieldOf } from './object-fields.ts';

/** A write with a result of its own. */
interface Write {
  readonly resource: ResourceModel;
  readonly action: Action;
}

/** Writes with equal results. */
export interface EqualResults {
  readonly writes: readonly [Write, ...Write[]];
  /** The words that the names of their results have in common. */
  readonly name: string;
}

/**
 * Finds the writes whose results have equal fields, by action. They are of one resource of the top, whose name theirs begin with.
 * @param isOwn Whether a write has a result of its own, instead of an object of its resource.
 */
export function findEqualResults(
  assembly: Assembly,
  isOwn: (resource: ResourceModel, action: Action) => boolean,
): ReadonlyMap<Action, EqualResults> {
  const groups = new Map<string, [Write, ...Write[]]>();
  for (const resource of assembly.model.values())
    for (const action of resource.writes) {
      if (action.output.parameters.length === 0 || !isOwn(resource, action)) continue;
      const key = keyOf(assembly, { resource, action });
      const known = groups.get(key);
      if (known === undefined) groups.set(key, [{ resource, action }]);
      else known.push({ resource, action });
    }
  const equal = [...groups.values()].filter(({ length }) => length > 1);
  return new Map(
    equal.flatMap((writes) => {
      const names = writes.map(({ resource, action }) => appendName(resource.baseName, resultNameOf(action)));
      const results = { writes, name: commonWordsOf(names).join('') };
      return writes.map(({ action }) => [action, results] as const);
    }),
  );
}

/** Ids and associations depend on the whole path, other values on their types only. */
function keyOf(assembly: Assembly, { resource, action }: Write): string {
  const { parameters } = action.output;
  const isOfPath = parameters.some(({ type }) => type === 'Resource' || type === 'Integer');
  const fields = parameters.map((parameter) => {
    const { type } = outputFieldOf(assembly, resource, parameter, '');
    return [
      parameter.name,
      parameter.type,
      parameter.required,
      Array.isArray(type) ? `[${type}]` : String(type),
    ];
  });
  return JSON.stringify([isOfPath ? pathKey(resource.path) : resource.path[0], ...fields.map(String).sort()]);
}

/** The parameters for which the fields of a type stand, each with those of the other writes. */
export const parametersOf = ({ writes }: EqualResults): ReadonlyMap<string, readonly Parameter[]> => {
  const all = writes.flatMap(({ action }) => action.output.parameters);
  return new Map(all.map(({ name }) => [name, all.filter((one) => one.name === name)]));
};
