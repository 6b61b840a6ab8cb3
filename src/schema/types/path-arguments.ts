// Declares the arguments for the placeholders of paths, and reads their values.
import { checkIds, NO_PATH_IDS, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Action } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { fieldNameOf } from '../names/naming.ts';
import type { UniqueNames } from '../names/unique-names.ts';

/** The object whose ID is one argument, although the ID may fill several placeholders. */
export interface PathOwner {
  readonly resource: ResourceModel;
  /** Name of the argument. */
  readonly name: string;
}

/** The arguments of one field for the placeholders of a path. */
export type PathArguments = ReturnType<typeof declarePath>;

/**
 * Declares the arguments for the placeholders of a path.
 * @param placeholders The placeholders that have their own arguments.
 * @param names Contains the other names of the field's arguments.
 */
export function declarePath(
  { builder, ids }: Pick<Assembly, 'builder' | 'ids'>,
  resource: ResourceModel,
  owner: PathOwner | null,
  placeholders: readonly string[],
  names: UniqueNames,
) {
  const ownerName = owner === null ? '' : names.claim(owner.name);
  const others = placeholders.map(
    (placeholder) => [names.claim(fieldNameOf(placeholder)), placeholder] as const,
  );
  const args = builder.args((t) => ({
    ...(owner === null
      ? {}
      : { [ownerName]: t.id({ required: true, description: describeId(owner.resource) }) }),
    ...Object.fromEntries(
      others.map(([name, placeholder]) => [
        name,
        t.string({ required: true, description: `The path parameter \`${placeholder}\`.` }),
      ]),
    ),
  }));
  /**
   * Returns the values of placeholders from the arguments and the parent object.
   * @throws InvalidInputError when a value is not an ID of the described type.
   */
  const read = (given: JsonObject, parentIds: PathIds = NO_PATH_IDS): PathIds => {
    if (owner === null && others.length === 0) return parentIds;
    const values = new Map(parentIds);
    if (owner !== null) {
      const { identity } = owner.resource;
      const ownerIds = ids.read(owner.resource, String(given[ownerName]), parentIds);
      for (const [placeholder, id] of pathIdsOf(identity, ownerIds)) values.set(placeholder, id);
    }
    for (const [name, placeholder] of others)
      values.set(placeholder, ids.readPart(resource, placeholder, String(given[name])));
    return values;
  };
  return { args, read };
}

const describeId = ({ typeName }: ResourceModel): string =>
  `The ID of the ${typeName}: its global ID, or its ID in the management API.`;

/**
 * Returns the values of a path's placeholders in path order.
 * @throws UpstreamProtocolError when a value is unknown.
 */
export function fillPlaceholders({ path, scope }: Action, values: PathIds): readonly string[] {
  const filled = path.placeholders.map((placeholder) => values.get(placeholder));
  if (filled.every((value) => value !== undefined)) return checkIds(filled);
  throw new UpstreamProtocolError('The object does not contain all IDs that the path needs.', {
    action: scope,
  });
}
