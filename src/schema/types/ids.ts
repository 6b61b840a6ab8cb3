// Reads the IDs that clients pass as arguments, and declares the arguments for the placeholders of paths.
import { type GraphQLSchema, isObjectType } from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import {
  checkIds,
  globalIdParts,
  type Identity,
  type Ids,
  isIntegerId,
  matchIdParts,
  NO_PATH_IDS,
  type PathIds,
  parseIdParts,
  pathIdsOf,
  toInputId,
} from '../../loaders/identity.ts';
import type { Action } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import { isPathValue } from '../../upstream/http/request-path.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { Model, ResourceModel } from '../model/model.ts';
import type { FieldNames } from '../names/field-names.ts';
import { fieldNameOf } from '../names/naming.ts';

/**
 * Maximum length of an ID, in characters. The longest IDs are global ones of nested objects with percent-encoded texts, and APIs
 * accept URLs of a few thousand characters. A longer ID is rejected before it is parsed.
 */
const MAX_LENGTH = 1024;

/** Reads IDs in the forms that clients may write: global (`book/14`) or as the API writes them (`14`, nested `14/3`). */
export class IdReader {
  /** The resources whose global IDs have the same number of parts and the same first name. Parents come first. */
  readonly #resources: ReadonlyMap<string, readonly ResourceModel[]>;

  constructor(model: Model) {
    const resources = new Map<string, ResourceModel[]>();
    for (const resource of model.values()) {
      const key = shapeOf(globalIdParts(resource.identity));
      resources.set(key, [...(resources.get(key) ?? []), resource]);
    }
    this.#resources = resources;
  }

  /**
   * Reads the ID of an object of a resource.
   * @param pathIds IDs of the parent on which the field stands. With them, the object's own ID is enough.
   * @throws InvalidInputError when the ID is too long, belongs to another type or another parent, lacks a parent's ID, or is not
   *   an integer although the IDs of the resource are integers.
   */
  read(resource: ResourceModel, text: string, pathIds: PathIds = NO_PATH_IDS): Ids {
    const { identity, typeName } = resource;
    const ids = this.#parseGlobal(resource, text) ?? rawIds(identity, text, pathIds);
    if (ids === null) {
      throw new InvalidInputError(
        `${quote(text)} is not an ID of ${typeName}: expected ${quote(exampleOf(identity))} or ${quote(identity.placeholders.map(() => '1').join('/'))}.`,
      );
    }
    for (const [index, placeholder] of identity.placeholders.entries()) {
      const parent = pathIds.get(placeholder);
      if (parent !== undefined && parent !== ids[index]) {
        throw new InvalidInputError(
          `${quote(text)} belongs to another parent than the object on which it is requested.`,
        );
      }
    }
    return validateIds(resource, identity.placeholders, ids, text);
  }

  /** Reads the last ID of an object, by which inputs refer to it. */
  readLast(resource: ResourceModel, text: string): number | string {
    const { placeholders } = resource.identity;
    const parts = text.split('/');
    const ids = this.#parseGlobal(resource, text) ?? (parts.length === placeholders.length ? parts : [text]);
    const last = validateIds(resource, placeholders.slice(-ids.length), ids, text).at(-1) ?? '';
    return toInputId(resource.identity, last);
  }

  /**
   * Checks the value of a placeholder that has its own argument. The value may be a secret, so the message omits it.
   * @throws InvalidInputError when the value is not an integer although the description requires one.
   */
  readPart({ identity }: ResourceModel, placeholder: string, text: string): string {
    checkLength(text);
    if (identity.valueTypes.get(placeholder) !== 'integer' || isIntegerId(text)) return text;
    throw new InvalidInputError(`${quote(placeholder)} must be an integer in decimal digits.`);
  }

  /**
   * Reads a global ID.
   * @param schema The caller's, which may lack types.
   * @param typeName The type of the object. Default: any.
   * @throws InvalidInputError when the text is not a global ID of that type, or the caller cannot fetch objects of the type.
   */
  readGlobal(
    text: string,
    schema: GraphQLSchema,
    typeName?: string,
  ): { readonly resource: ResourceModel; readonly ids: Ids } {
    checkLength(text);
    const found = this.#find(parseIdParts(text));
    const type = schema.getType(found?.resource.typeName ?? '');
    if (found === null || !isObjectType(type)) {
      throw new InvalidInputError(
        `${quote(text)} is not a global ID of this API. Use the value of the field "id" of an object.`,
      );
    }
    const { resource, ids } = found;
    if (typeName !== undefined && typeName !== resource.typeName)
      throw new InvalidInputError(
        `${quote(text)} is an ID of ${resource.typeName}, not of ${quote(typeName)}.`,
      );
    if (resource.identity.show === null)
      throw new InvalidInputError(`This API cannot fetch objects of type ${resource.typeName} by ID.`);
    if (type.getInterfaces().length === 0)
      throw new InvalidInputError(
        `${quote(text)} is an ID of ${resource.typeName}, which does not implement Node. Fetch the object by the field of its own type.`,
      );
    return { resource, ids: validateIds(resource, resource.identity.placeholders, ids, text) };
  }

  #find(parts: readonly string[] | null): { readonly resource: ResourceModel; readonly ids: Ids } | null {
    for (const resource of this.#resources.get(shapeOf(parts ?? [])) ?? []) {
      const ids = matchIdParts(resource.identity, parts);
      if (ids !== null) return { resource, ids };
    }
    return null;
  }

  /** Returns the IDs in a global ID of this resource, or null if the text is not a global ID. */
  #parseGlobal(resource: ResourceModel, text: string): Ids | null {
    checkLength(text);
    const parts = parseIdParts(text);
    const ids = matchIdParts(resource.identity, parts);
    if (ids !== null || !text.includes('/')) return ids;
    // The caller may not know the other type.
    if (this.#find(parts) === null) return null;
    throw new InvalidInputError(
      `${quote(text)} is an ID of an object of another type; expected an ID of ${resource.typeName}.`,
    );
  }
}

/** The number of parts and the first name of global IDs, by which their resources are found without trying each. */
const shapeOf = (parts: readonly (string | null)[]): string => `${parts.length} ${parts[0]}`;

/** The value may be a secret, so the message omits it. */
function checkLength(text: string): void {
  if (text.length <= MAX_LENGTH) return;
  throw new InvalidInputError(
    `An ID or a part of a path has ${text.length} characters; at most ${MAX_LENGTH} are allowed.`,
  );
}

function rawIds(identity: Identity, text: string, pathIds: PathIds): Ids | null {
  const { placeholders } = identity;
  if (placeholders.length === 1) return [text];
  const parts = text.split('/');
  if (parts.length === placeholders.length) return parts;
  const parents = placeholders.slice(0, -1).map((placeholder) => pathIds.get(placeholder));
  return parts.length === 1 && parents.every((id) => id !== undefined) ? [...parents, text] : null;
}

/** Rejects IDs such as `17abc` and ` 17`: servers read them as 17, which may be the ID of another object. */
function validateIds(
  { typeName, identity }: ResourceModel,
  placeholders: readonly string[],
  ids: Ids,
  text: string,
): Ids {
  if (!ids.every(isPathValue)) {
    throw new InvalidInputError(
      `${quote(text)} is not an ID: one of its parts is empty, ".", ".." or not well-formed Unicode.`,
    );
  }
  const isWrong = (id: string, index: number): boolean =>
    identity.valueTypes.get(placeholders[index] ?? '') === 'integer' && !isIntegerId(id);
  if (!ids.some(isWrong)) return ids;
  throw new InvalidInputError(
    `${quote(text)} is not an ID of ${typeName}: expected an integer in decimal digits, e.g. "17".`,
  );
}

function exampleOf(identity: Identity): string {
  return identity.path
    .flatMap((name, depth) => [name, ...(identity.segments[depth] ?? []).map(() => '1')])
    .join('/');
}

/** Quotes and shortens an ID for a message. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

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
