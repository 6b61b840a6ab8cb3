import {
  findBreakingChanges,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** What a schema's clients should know of the one that takes its place. */
export interface SchemaChanges {
  /** Coordinates of fields and input fields, e.g. `Dataset.name`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Each as a sentence. */
  readonly breaking: readonly string[];
}

/** Compares a schema with the one before. */
export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): SchemaChanges {
  const [old, now] = [coordinatesOf(before), coordinatesOf(after)];
  return {
    added: [...now].filter((coordinate) => !old.has(coordinate)),
    removed: [...old].filter((coordinate) => !now.has(coordinate)),
    breaking: findBreakingChanges(before, after).map(({ description }) => description),
  };
}

function coordinatesOf(schema: GraphQLSchema): ReadonlySet<string> {
  const coordinates = new Set<string>();
  for (const [name, type] of Object.entries(schema.getTypeMap())) {
    if (name.startsWith('__')) continue;
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.keys(type.getFields())) coordinates.add(`${name}.${field}`);
  }
  return coordinates;
}
