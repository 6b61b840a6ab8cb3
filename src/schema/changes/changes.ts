// Compares two schemas for their clients.
import {
  findBreakingChanges,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** The differences between a schema and its successor. */
interface SchemaChanges {
  /** Coordinates of fields and input fields, e.g. `Book.title`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** One sentence for each change. */
  readonly breaking: readonly string[];
}

/** Compares a schema with its predecessor. */
export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): SchemaChanges {
  const [oldCoordinates, newCoordinates] = [coordinatesOf(before), coordinatesOf(after)];
  return {
    added: [...newCoordinates].filter((coordinate) => !oldCoordinates.has(coordinate)),
    removed: [...oldCoordinates].filter((coordinate) => !newCoordinates.has(coordinate)),
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
