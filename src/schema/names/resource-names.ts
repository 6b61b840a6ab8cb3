// Names the types of resources.

import { pathKey } from '../model/model.ts';
import type { OperatorPlan } from '../model/operator-plan.ts';
import type { Overrides } from '../model/overrides.ts';
import type { Report } from '../model/report.ts';
import { FreeNames } from './free-names.ts';
import { avoidReserved, clashingTypeName, type ReservedNames, typeNameOf } from './naming.ts';

/** Returns the type name from the overrides. `hasOwn` is needed because a resource may have a name such as `constructor`. */
export function overriddenTypeName(
  path: readonly string[],
  { typeNames = {} }: Overrides,
): string | undefined {
  const key = pathKey(path);
  return Object.hasOwn(typeNames, key) ? typeNames[key] : undefined;
}

/** Names all types that the operator's plan does not name. If two paths map to the same name, the later one gets another name and a finding. */
export function nameTypes(
  paths: ReadonlyMap<string, readonly string[]>,
  overrides: Overrides,
  reserved: ReservedNames,
  report: Report,
  operator: OperatorPlan | null,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const owners = new Map(operator?.names.owners);
  const freeNames = new FreeNames();
  for (const [key, path] of paths) {
    const planned = operator?.model.get(key)?.typeName;
    if (planned !== undefined) {
      names.set(key, planned);
      continue;
    }
    const given = overriddenTypeName(path, overrides);
    let name = given === undefined ? typeNameOf(path, reserved) : avoidReserved(given, reserved.types);
    if (given !== undefined && name !== given) {
      const reason = `the overrides set the type name ${given}, which is reserved; the type is named ${name}`;
      report.add('TYPE_NAME_CLASH', key, reason);
    }
    const owner = owners.get(name);
    if (owner !== undefined) {
      const ownName = name;
      name = freeNames.find(avoidReserved(clashingTypeName(path), reserved.types), owners);
      const reason = `its type name ${ownName} is already the name of ${owner}; the type is named ${name}; choose another name in the overrides: "typeNames": { "${key}": "…" }`;
      report.add('TYPE_NAME_CLASH', key, reason);
    }
    names.set(key, name);
    owners.set(name, key);
  }
  return names;
}
