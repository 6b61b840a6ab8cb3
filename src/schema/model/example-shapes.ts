// Derives the shapes of outputs that are only described as JSON from the examples of their actions.
import type { Action } from '../../upstream/description/description.ts';
import { isObject } from '../../upstream/json.ts';
import { singularize } from '../names/naming.ts';

/** What the examples of a value have in common; `JSON` where they disagree. */
export type Shape = 'String' | 'SafeInt' | 'Float' | 'Boolean' | 'JSON' | ListShape | ObjectShape;

export interface ListShape {
  readonly items: Shape;
}

export interface ObjectShape {
  readonly fields: ReadonlyMap<string, Shape>;
}

/** Maximum depth, and number of fields of an object. Larger values are data rather than a structure. */
const MAX_DEPTH = 4;
const MAX_FIELDS = 50;

/** A key that is a name. Other keys are data, such as ids. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns, by name, the shapes of the outputs of a resource's actions whose examples show objects or lists of objects. */
export function exampleShapesOf(actions: readonly Action[]): ReadonlyMap<string, Shape> {
  const values = new Map<string, unknown[]>();
  for (const { examples } of actions)
    for (const [name, shown] of examples) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [...shown]);
      else for (const value of shown) known.push(value);
    }
  const shapes = [...values].map(([name, shown]) => [name, shapeOf(shown, MAX_DEPTH)] as const);
  return new Map(shapes.filter(([, shape]) => objectIn(shape) !== null));
}

/** Returns the shape of the objects that a shape, or each item of its list, is; null for other values. */
export function objectIn(shape: Shape): ObjectShape | null {
  if (typeof shape === 'string') return null;
  return 'fields' in shape ? shape : objectIn(shape.items);
}

/** An object of a shape. */
export interface NamedShape {
  /** The names of the output and of the fields that lead to it, with dots between them. */
  readonly source: string;
  /** The same in the singular where they are lists, for its type. */
  readonly words: string;
}

/** Returns the objects of a shape, the outer ones first. */
export function objectsOf(shape: Shape, { source, words }: NamedShape): readonly NamedShape[] {
  const object = objectIn(shape);
  if (object === null) return [];
  const own = { source, words: typeof shape === 'object' && 'items' in shape ? singularize(words) : words };
  const nested = [...object.fields].flatMap(([key, field]) =>
    objectsOf(field, { source: `${source}.${key}`, words: `${own.words}_${key}` }),
  );
  return [own, ...nested];
}

function shapeOf(shown: readonly unknown[], levels: number): Shape {
  const values = shown.filter((value) => value !== null && value !== undefined);
  if (values.length === 0 || levels === 0) return 'JSON';
  if (values.every(Array.isArray)) {
    const items = shapeOf(values.flat(), levels - 1);
    return { items: typeof items === 'object' && 'items' in items ? 'JSON' : items };
  }
  if (values.every(isObject)) return objectShapeOf(values, levels);
  if (values.every((value) => typeof value === 'string')) return 'String';
  if (values.every((value) => typeof value === 'boolean')) return 'Boolean';
  if (values.every(Number.isSafeInteger)) return 'SafeInt';
  return values.every(Number.isFinite) ? 'Float' : 'JSON';
}

/** Objects that have no name in common are of different kinds. */
function objectShapeOf(values: readonly Readonly<Record<string, unknown>>[], levels: number): Shape {
  const names = [...new Set(values.flatMap(Object.keys))].sort();
  const isShared = names.some((name) => values.every((value) => Object.hasOwn(value, name)));
  if (!isShared || names.length > MAX_FIELDS || !names.every((name) => NAME.test(name))) return 'JSON';
  const fields = names.map(
    (name) =>
      [
        name,
        shapeOf(
          values.map((value) => (Object.hasOwn(value, name) ? value[name] : null)),
          levels - 1,
        ),
      ] as const,
  );
  return { fields: new Map(fields) };
}
