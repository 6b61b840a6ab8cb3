// Holds the fields of an object of the response, some of which may come later.

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
