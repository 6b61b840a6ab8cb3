import {
  type Identity,
  type Ids,
  isIntegerId,
  type PathIds,
  parseGlobalId,
  toInputId,
} from '../../loaders/identity.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import { isPathValue } from '../../upstream/http/path-template.ts';
import type { Model, ResourceModel } from '../model/model.ts';

/** Reads ids as callers write them: global (`book/14`) or the upstream's own (`14`, nested `14/3`). */
export class IdReader {
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  /**
   * The ids of an object of a resource.
   * @param pathIds Ids of the parent the object is asked of; then its last id alone is enough.
   * @throws InvalidInputError when the id is another type's, another parent's, lacks a parent's id, or is no integer
   *   where the resource's ids are integers.
   */
  read(resource: ResourceModel, text: string, pathIds: PathIds = new Map()): Ids {
    const { identity, typeName } = resource;
    const ids = this.#global(resource, text) ?? rawIds(identity, text, pathIds);
    if (ids === null) {
      throw new InvalidInputError(
        `${quote(text)} is no id of ${typeName}: expected ${quote(exampleOf(identity))} or ${quote(identity.placeholders.map(() => '1').join('/'))}.`,
      );
    }
    for (const [index, placeholder] of identity.placeholders.entries()) {
      const parent = pathIds.get(placeholder);
      if (parent !== undefined && parent !== ids[index]) {
        throw new InvalidInputError(`${quote(text)} belongs to another parent than the one it is asked of.`);
      }
    }
    return checked(resource, identity.placeholders, ids, text);
  }

  /** The one id by which inputs name an object: its last. */
  readLast(resource: ResourceModel, text: string): number | string {
    const { placeholders } = resource.identity;
    const parts = text.split('/');
    const ids = this.#global(resource, text) ?? (parts.length === placeholders.length ? parts : [text]);
    const last = checked(resource, placeholders.slice(-ids.length), ids, text).at(-1) ?? '';
    return toInputId(resource.identity, last);
  }

  /**
   * Checks the value of a placeholder that is an argument of its own. It may be a secret, so the message leaves it out.
   * @throws InvalidInputError when it is no integer where the description says that it is one.
   */
  readPart({ identity }: ResourceModel, placeholder: string, text: string): string {
    if (identity.valueTypes.get(placeholder) !== 'integer' || isIntegerId(text)) return text;
    throw new InvalidInputError(`${quote(placeholder)} must be an integer, written in digits alone.`);
  }

  /** The resource and ids of a global id. @throws InvalidInputError unless it is one of a type that can be fetched. */
  readGlobal(text: string): { readonly resource: ResourceModel; readonly ids: Ids } {
    for (const resource of this.#model.values()) {
      const ids = parseGlobalId(resource.identity, text);
      if (ids === null) continue;
      if (resource.identity.show === null) {
        throw new InvalidInputError(`A ${resource.typeName} cannot be fetched by its id from this API.`);
      }
      return { resource, ids: checked(resource, resource.identity.placeholders, ids, text) };
    }
    throw new InvalidInputError(
      `${quote(text)} is no global id of this API: they read like the path of the object, e.g. the "id" of any object.`,
    );
  }

  /** The ids of a global id of this resource; null when the text is no global id at all. */
  #global(resource: ResourceModel, text: string): Ids | null {
    const ids = parseGlobalId(resource.identity, text);
    if (ids !== null || !text.includes('/')) return ids;
    for (const other of this.#model.values()) {
      if (parseGlobalId(other.identity, text) !== null) {
        throw new InvalidInputError(
          `${quote(text)} is the id of a ${other.typeName}; expected one of a ${resource.typeName}.`,
        );
      }
    }
    return null;
  }
}

function rawIds(identity: Identity, text: string, pathIds: PathIds): Ids | null {
  const { placeholders } = identity;
  if (placeholders.length === 1) return [text];
  const parts = text.split('/');
  if (parts.length === placeholders.length) return parts;
  const parents = placeholders.slice(0, -1).map((placeholder) => pathIds.get(placeholder));
  return parts.length === 1 && parents.every((id) => id !== undefined) ? [...parents, text] : null;
}

/** Servers read `17abc` or ` 17` as 17, which is the id of another object than the text says. */
function checked(
  { typeName, identity }: ResourceModel,
  placeholders: readonly string[],
  ids: Ids,
  text: string,
): Ids {
  if (!ids.every(isPathValue)) {
    throw new InvalidInputError(
      `${quote(text)} is no id: a part of it is empty, "." or "..", or no well-formed text.`,
    );
  }
  const isWrong = (id: string, index: number): boolean =>
    identity.valueTypes.get(placeholders[index] ?? '') === 'integer' && !isIntegerId(id);
  if (!ids.some(isWrong)) return ids;
  throw new InvalidInputError(
    `${quote(text)} is no id of ${typeName}: expected an integer, in digits alone, e.g. "17".`,
  );
}

function exampleOf(identity: Identity): string {
  return identity.path
    .flatMap((name, depth) => [name, ...(identity.segments[depth] ?? []).map(() => '1')])
    .join('/');
}

/** Ids are named in messages only so far that a long or strange one does no harm. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
