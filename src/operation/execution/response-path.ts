// Makes the paths of fields and items in the response.
import type { ResponsePath } from 'graphql';

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
