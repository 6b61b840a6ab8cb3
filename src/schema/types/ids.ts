// Reads the IDs that clients write, and declares the arguments for them.
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
import type { Assembly } from '../assemble.ts';
import { groupBy } from '../memo.ts';
import type { Model, ResourceModel } from '../model/model.ts';
import { fieldNameOf } from '../names/naming.ts';
import type { UniqueNames } from '../names/unique-names.ts';

/**
 * Maximum length of an ID, in characters. The longest IDs are global ones of nested objects with percent-encoded texts, and APIs
 * accept URLs of a few thousand characters. A longer ID is rejected before it is parsed.
 */
const MAX_LENGTH = 1024;

/** An object that a client names. */
interface NamedObject {
  readonly resource: ResourceModel;
  readonly ids: Ids;
}

/** Reads IDs in the forms that clients may write: global (`book/14`) or as the API writes them (`14`, nested `14/3`). */
export class IdReader {
  /** The resources whose global IDs have the same number of parts and the same first name. Parents come first. */
  readonly #resources: ReadonlyMap<string, readonly ResourceModel[]>;

  constructor(model: Model) {
    this.#resources = groupBy(model.values(), ({ identity }) => shapeOf(globalIdParts(identity)));
  }

  /**
   * Reads the ID of an object of a resource.
   * @param pathIds IDs of the parent on which the field stands. With them, the object's own ID is enough.
   * @throws InvalidInputError when the ID is too long, belongs to another type or another parent, lacks a parent's ID, or is not
   *   an integer although the IDs of the resource are integers.
   */
  read(resource: ResourceModel, text: string, pathIds: PathIds = NO_PATH_IDS): Ids {
    const { identity, typeName } = resource;
    const { placeholders } = identity;
    const ids = this.#parseGlobal(resource, text) ?? rawIds(identity, text, pathIds);
    if (ids === null) {
      const global = globalIdParts(identity).map((part) => part ?? '1');
      const raw = placeholders.map(() => '1');
      return refuse(
        `${quote(text)} is not an ID of ${typeName}: expected ${quote(global.join('/'))} or ${quote(raw.join('/'))}.`,
      );
    }
    if (placeholders.some((placeholder, index) => (pathIds.get(placeholder) ?? ids[index]) !== ids[index]))
      return refuse(`${quote(text)} belongs to another parent than the object on which it is requested.`);
    return requireIds(resource, ids, text);
  }

  /** Reads the last ID of an object, by which inputs refer to it. */
  readLast(resource: ResourceModel, text: string): number | string {
    const parts = text.split('/');
    const isWhole = parts.length === resource.identity.placeholders.length;
    const ids = this.#parseGlobal(resource, text) ?? (isWhole ? parts : [text]);
    return toInputId(resource.identity, requireIds(resource, ids, text).at(-1) ?? '');
  }

  /**
   * Checks the value of a placeholder that has its own argument. The value may be a secret, so the message omits it.
   * @throws InvalidInputError when the value is not an integer although the description requires one.
   */
  readPart({ identity }: ResourceModel, placeholder: string, text: string): string {
    checkLength(text);
    if (identity.valueTypes.get(placeholder) !== 'integer' || isIntegerId(text)) return text;
    return refuse(`${quote(placeholder)} must be an integer in decimal digits.`);
  }

  /**
   * Reads a global ID.
   * @param schema The caller's, which may lack types.
   * @param typeName The type of the object. Default: any.
   * @throws InvalidInputError when the text is not a global ID of that type, or the caller cannot fetch objects of the type.
   */
  readGlobal(text: string, schema: GraphQLSchema, typeName?: string): NamedObject {
    checkLength(text);
    const found = this.#find(parseIdParts(text));
    const type = schema.getType(found?.resource.typeName ?? '');
    if (found === null || !isObjectType(type))
      return refuse(
        `${quote(text)} is not a global ID of this API. Use the value of the field "id" of an object.`,
      );
    const { resource, ids } = found;
    const own = resource.typeName;
    if (typeName !== undefined && typeName !== own)
      return refuse(`${quote(text)} is an ID of ${own}, not of ${quote(typeName)}.`);
    if (resource.identity.show === null) return refuse(`This API cannot fetch objects of type ${own} by ID.`);
    if (!type.getInterfaces().some(({ name }) => name === 'Node'))
      return refuse(
        `${quote(text)} is an ID of ${own}, which does not implement Node. Fetch the object by the field of its own type.`,
      );
    return { resource, ids: requireIds(resource, ids, text) };
  }

  #find(parts: readonly string[] | null): NamedObject | null {
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
    // The message does not name the other type, which the caller may not know.
    if (ids === null && text.includes('/') && this.#find(parts) !== null)
      return refuse(
        `${quote(text)} is an ID of an object of another type; expected an ID of ${resource.typeName}.`,
      );
    return ids;
  }
}

/** The number of parts and the first name of global IDs, by which their resources are found without trying each. */
const shapeOf = (parts: readonly (string | null)[]): string => `${parts.length} ${parts[0]}`;

function refuse(message: string): never {
  throw new InvalidInputError(message);
}

/** The value may be a secret, so the message omits it. */
function checkLength(text: string): void {
  if (text.length > MAX_LENGTH)
    refuse(`An ID or a part of a path has ${text.length} characters; at most ${MAX_LENGTH} are allowed.`);
}

function rawIds({ placeholders }: Identity, text: string, pathIds: PathIds): Ids | null {
  if (placeholders.length === 1) return [text];
  const parts = text.split('/');
  if (parts.length === placeholders.length) return parts;
  const parents = placeholders.slice(0, -1).map((placeholder) => pathIds.get(placeholder));
  return parts.length === 1 && parents.every((id) => id !== undefined) ? [...parents, text] : null;
}

/**
 * Checks IDs for the last placeholders of a resource. It rejects IDs such as `17abc` and ` 17`: servers read them as 17, which may be the
 * ID of another object.
 */
function requireIds({ typeName, identity }: ResourceModel, ids: Ids, text: string): Ids {
  if (!ids.every(isPathValue))
    refuse(`${quote(text)} is not an ID: one of its parts is empty, ".", ".." or not well-formed Unicode.`);
  const placeholders = identity.placeholders.slice(-ids.length);
  const isWrong = (id: string, index: number): boolean =>
    identity.valueTypes.get(placeholders[index] ?? '') === 'integer' && !isIntegerId(id);
  if (ids.some(isWrong))
    refuse(`${quote(text)} is not an ID of ${typeName}: expected an integer in decimal digits, e.g. "17".`);
  return ids;
}

/** Quotes and shortens an ID for a message. */
const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** The arguments of one field for the placeholders of a path. */
export type PathArguments = ReturnType<typeof declarePath>;

/**
 * Declares the arguments for the placeholders of a path.
 * @param owner The object whose ID is one argument of this name, although the ID may fill several placeholders. Null for none.
 * @param placeholders The placeholders that have their own arguments.
 * @param names Contains the other names of the field's arguments.
 */
export function declarePath(
  { builder, ids }: Pick<Assembly, 'builder' | 'ids'>,
  resource: ResourceModel,
  owner: { readonly resource: ResourceModel; readonly name: string } | null,
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
