// Finds the changes between two schemas, renames apart, and the overrides that keep names.
import { type Change, diff } from '@graphql-inspector/core';
import { resourceOf } from '../../../../src/index.ts';
import { type ComparedSchemas, definitionsOf } from './compared-schemas.ts';
import { renameDefinitions } from './rename-definitions.ts';
import { findRenames, type Renames } from './renames.ts';

/** How a schema differs from an earlier one. */
export interface SchemaChanges {
  readonly renames: Renames;
  /** Overrides as the file of overrides has them, by the earlier coordinate of what they keep. */
  readonly overrides: ReadonlyMap<string, string>;
  /** All other changes, by later names. */
  readonly others: readonly Change[];
}

/** Compares two schemas. Only what is assembled in this process shows its renames. */
export async function findChanges(schemas: ComparedSchemas): Promise<SchemaChanges> {
  const { before, after } = schemas;
  const isAssembled = Object.values(before.getTypeMap()).some((type) => resourceOf(type) !== null);
  const renames = isAssembled ? findRenames(before, after) : new Map<string, string>();
  const others = await diff(
    renames.size > 0 ? renameDefinitions(before, renames) : definitionsOf(before),
    definitionsOf(after),
  );
  return { renames, overrides: findOverrides(schemas, renames), others };
}

/** Tries for each renamed type of a resource whether it can keep its name, because the resource that has taken it may need another. */
function findOverrides(schemas: ComparedSchemas, renames: Renames): ReadonlyMap<string, string> {
  const { assembleNamed } = schemas;
  const overrides = new Map<string, string>();
  if (assembleNamed === null || renames.size === 0) return overrides;
  const named = assembleNamed({});
  const resourceNamed = (type: string | undefined): string | undefined =>
    resourceOf(named.getType(type ?? '') ?? { extensions: {} })?.join('.');
  for (const [name, newName] of renames) {
    const resource = name.includes('.') ? undefined : resourceNamed(newName);
    if (resource === undefined) continue;
    const taker = resourceNamed(name);
    const settings = [
      { [resource]: name },
      ...(taker === undefined ? [] : [{ [resource]: name, [taker]: `${name}Resource` }]),
    ];
    for (const typeNames of settings) {
      const left = findRenames(schemas.before, assembleNamed(typeNames));
      if (left.has(name)) continue;
      const override = `"typeNames": ${JSON.stringify(typeNames)}`;
      for (const kept of renames.keys())
        if (!left.has(kept) && !overrides.has(kept)) overrides.set(kept, override);
      break;
    }
  }
  return overrides;
}
