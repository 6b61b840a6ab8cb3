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

/** Tries for each renamed element whether it can keep its name, because the one that has taken it may need another. */
function findOverrides(schemas: ComparedSchemas, renames: Renames): ReadonlyMap<string, string> {
  const { assembleNamed } = schemas;
  const overrides = new Map<string, string>();
  if (assembleNamed === null || renames.size === 0) return overrides;
  const types = assembleNamed({}).getTypeMap();
  // What follows from the name of a type is not named by itself.
  const typesFirst = [...renames].sort(([a], [b]) => Number(a.includes('.')) - Number(b.includes('.')));
  for (const [name, newName] of typesFirst) {
    if (overrides.has(name)) continue;
    const own = { [newName]: nameIn(name) };
    const isTaken = name in types;
    const settings = [own, ...(isTaken ? [{ ...own, [name]: `${name}Resource` }] : [])];
    for (const names of settings) {
      const left = findRenames(schemas.before, assembleNamed(names));
      if (left.has(name)) continue;
      const override = `"names": ${JSON.stringify(names)}`;
      for (const kept of renames.keys())
        if (!left.has(kept) && !overrides.has(kept)) overrides.set(kept, override);
      break;
    }
  }
  return overrides;
}

/** The name at the end of a coordinate. */
const nameIn = (coordinate: string): string => /(\w+)(?::\))?$/.exec(coordinate)?.[1] ?? coordinate;
