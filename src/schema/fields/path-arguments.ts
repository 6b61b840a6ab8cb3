// Declares and reads the arguments for the placeholders of an action's path, and fills the path.
import { checkIds, NO_PATH_IDS, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Action } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import type { FieldNames } from '../names/field-names.ts';
import { fieldNameOf } from '../names/naming.ts';

/** The object whose ID is one argument, although the ID may fill several placeholders. */
export interface PathOwner {
  readonly resource: ResourceModel;
  /** Name of the argument. */
  readonly name: string;
}

/** The arguments of one field for placeholders of a path. */
export class PathArguments {
  readonly #assembly: Pick<Assembly, 'builder' | 'ids'>;
  readonly #resource: ResourceModel;
  readonly #owner: PathOwner | null;
  readonly #others: readonly { readonly name: string; readonly placeholder: string }[];

  /**
   * @param placeholders The placeholders that have their own arguments.
   * @param names Contains the other names of the field's arguments.
   */
  constructor(
    assembly: Pick<Assembly, 'builder' | 'ids'>,
    resource: ResourceModel,
    owner: PathOwner | null,
    placeholders: readonly string[],
    names: FieldNames,
  ) {
    this.#assembly = assembly;
    this.#resource = resource;
    this.#owner = owner === null ? null : { ...owner, name: names.claim(owner.name) };
    this.#others = placeholders.map((placeholder) => ({
      placeholder,
      name: names.claim(fieldNameOf(placeholder)),
    }));
  }

  /** Returns the Pothos arguments. */
  declare() {
    const owner = this.#owner;
    return this.#assembly.builder.args((t) => ({
      ...(owner === null
        ? {}
        : { [owner.name]: t.id({ required: true, description: describeId(owner.resource) }) }),
      ...Object.fromEntries(
        this.#others.map(({ name, placeholder }) => [
          name,
          t.string({ required: true, description: `The path parameter \`${placeholder}\`.` }),
        ]),
      ),
    }));
  }

  /**
   * Returns the values of placeholders from the arguments and the parent object.
   * @throws InvalidInputError when a value is not an ID of the described type.
   */
  read(given: JsonObject, parentIds: PathIds = NO_PATH_IDS): PathIds {
    const { ids } = this.#assembly;
    const values = new Map(parentIds);
    if (this.#owner !== null) {
      const { resource, name } = this.#owner;
      const ownerIds = ids.read(resource, String(given[name]), parentIds);
      for (const [placeholder, id] of pathIdsOf(resource.identity, ownerIds)) values.set(placeholder, id);
    }
    for (const { name, placeholder } of this.#others)
      values.set(placeholder, ids.readPart(this.#resource, placeholder, String(given[name])));
    return values;
  }
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
