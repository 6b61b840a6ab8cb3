// Holds the response of an execution: its objects, and the errors of its fields.
import type { GraphQLError, ResponsePath } from 'graphql';

/** An object of the response. It inherits nothing from `Object.prototype`, and V8 handles it faster than one of `Object.create(null)`. */
export class ResponseObject {
  [responseName: string]: unknown;
}
Object.setPrototypeOf(ResponseObject.prototype, null);

/** Ends an object by the error of a field. The other fields settle first, so that none of their rejections is unhandled. */
export function abandonFields(
  object: ResponseObject,
  pending: readonly string[] | null,
  error: unknown,
): Promise<never> {
  if (pending === null) throw error;
  return settle(object, pending).finally(() => {
    throw error;
  }) as Promise<never>;
}

/** Replaces the promises in an object by their values. Rejects when one of them rejects. */
export function settle(object: ResponseObject, pending: readonly string[]): Promise<ResponseObject> {
  const promises = pending.map((name) => object[name]);
  const set = (values: readonly unknown[]): ResponseObject => {
    for (const [index, name] of pending.entries()) object[name] = values[index];
    return object;
  };
  // Most objects have one, for which `Promise.all` would make two more.
  if (promises.length === 1) return Promise.resolve(promises[0]).then((value) => set([value]));
  return Promise.all(promises).then(set);
}

/** A path in the response; undefined for the response itself. */
export type Path = ResponsePath | undefined;

/** @param typename The type of the object that has the field; undefined for an item of a list. */
export const pathBelow = (prev: Path, key: string | number, typename: string | undefined): ResponsePath => ({
  prev,
  key,
  typename,
});

/** The path of the field of a value, which may be an item in the list of the field. */
export function fieldPathOf(path: ResponsePath): ResponsePath {
  let field = path;
  while (typeof field.key === 'number' && field.prev !== undefined) field = field.prev;
  return field;
}

/** The errors of one execution, without those below a position that has become null. */
export class FieldErrors {
  /** The paths at which an error has left null. */
  readonly #nulledPaths = new Set<Path>();
  readonly #errors: GraphQLError[] = [];

  /** The errors in the order in which they happened. */
  get errors(): readonly GraphQLError[] {
    return this.#errors;
  }

  /** Adds the error that leaves null at a path, unless an earlier error has left null there or above. */
  add(error: GraphQLError, path: Path): void {
    if (this.#isNulled(path)) return;
    this.#nulledPaths.add(path);
    this.#errors.push(error);
  }

  #isNulled(path: Path): boolean {
    if (this.#nulledPaths.size === 0) return false;
    for (let position = path; position !== undefined; position = position.prev)
      if (this.#nulledPaths.has(position)) return true;
    return this.#nulledPaths.has(undefined);
  }
}
