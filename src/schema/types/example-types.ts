// Gives JSON outputs the types that examples of the API show.
import type { Operation } from '../../loaders/operation.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import { isObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { Builder } from '../builder.ts';
import { codeOf } from '../descriptions/descriptions.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { fieldNameOf, singularize } from '../names/naming.ts';
import { nameType } from '../names/type-names.ts';
import { fieldsOf, UniqueNames } from '../names/unique-names.ts';
import { nullable } from './outputs.ts';

/** Maximum depth, and number of fields of an object. Larger values are data rather than a structure. */
const MAX_DEPTH = 3;
const MAX_FIELDS = 50;

/** A key that is a name. Other keys are data, such as ids. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The scalars with the values that they show. The first one that shows all examples of a value is its type. */
const SCALARS = {
  String: (value: unknown): boolean => typeof value === 'string',
  Boolean: (value: unknown): boolean => typeof value === 'boolean',
  SafeInt: Number.isSafeInteger,
  Float: Number.isFinite,
  JSON: (): boolean => true,
} as const;

type Scalar = keyof typeof SCALARS;
type SentRef = ReturnType<typeof createRef>;

/** @returns The type of objects that the API has sent. The value in resolvers contains the object, whatever its shape. */
const createRef = (builder: Builder, name: string) => builder.objectRef<{ readonly value: unknown }>(name);

/** A value in the examples. */
interface Place {
  readonly resource: ResourceModel;
  /** The output, and the keys that lead to the value. */
  readonly keys: readonly string[];
  /** The same in the singular where they are lists, for the name of its type. */
  readonly words: string;
  /** Schema coordinate of its field, for warnings. */
  readonly coordinate: string;
}

/** The type of a value, and its reader, which warns of a value that has another shape and returns null for it. */
interface ExampleValue {
  readonly type: SentRef | Scalar | readonly [SentRef | Scalar];
  read(value: unknown, operation: Operation): unknown;
}

/** The types of one schema. */
export class ExampleTypes {
  readonly #assembly: Assembly;
  readonly #refs = new Map<string, SentRef>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  /**
   * Returns the type of an output whose examples are objects or lists of objects; null for others, which stay JSON.
   * @param coordinate Schema coordinate of its field, for warnings.
   */
  valueFor(resource: ResourceModel, { name, type }: Parameter, coordinate: string): ExampleValue | null {
    if (type !== 'Custom') return null;
    const shown = resource.actions.flatMap(({ examples }) => examples.get(name) ?? []);
    const value = this.#valueOf({ resource, keys: [name], words: name, coordinate }, shown);
    return typeof [value.type].flat()[0] === 'string' ? null : value;
  }

  #valueOf(place: Place, shown: readonly unknown[], isItem = false): ExampleValue {
    const { coordinate, keys, words } = place;
    const values = shown.filter((value) => value !== null && value !== undefined);
    const make = (type: ExampleValue['type'], read: ExampleValue['read']): ExampleValue => ({
      type,
      read: (value, operation) => (value === null || value === undefined ? null : read(value, operation)),
    });
    if (!isItem && values.length > 0 && values.every(Array.isArray)) {
      const { type, read } = this.#valueOf({ ...place, words: singularize(words) }, values.flat(), true);
      return make([type as SentRef], (value, operation) =>
        Array.isArray(value) ? value.map((item) => read(item, operation)) : refuse(operation, coordinate),
      );
    }
    const names = keys.length > MAX_DEPTH || !values.every(isObject) ? null : sharedNamesOf(values);
    if (names !== null)
      return make(this.#refFor(place, names, values as Record<string, unknown>[]), (value) => ({ value }));
    const scalars = Object.keys(SCALARS) as Scalar[];
    const scalar = scalars.find((one) => values.length > 0 && values.every(SCALARS[one])) ?? 'JSON';
    return make(scalar, (value, operation) =>
      SCALARS[scalar](value) ? value : refuse(operation, coordinate),
    );
  }

  #refFor(
    { resource, keys, words }: Place,
    names: readonly string[],
    objects: readonly Readonly<Record<string, unknown>>[],
  ): SentRef {
    const { builder } = this.#assembly;
    const place = [pathKey(resource.path), ...keys].join('.');
    const known = this.#refs.get(place);
    if (known !== undefined) return known;
    const ref = createRef(builder, nameType(this.#assembly, resource, words));
    this.#refs.set(place, ref);
    builder.objectType(ref, {
      description: `Output ${codeOf(place)}, as examples of the API show it. A value of another kind is null, with a warning.`,
    });
    builder.objectField(ref, 'json', (t) =>
      t.field({
        type: 'JSON',
        description: 'The whole value, also what the examples do not show.',
        resolve: ({ value }) => value,
      }),
    );
    const fields = new UniqueNames(this.#assembly, fieldsOf(ref.name), ['json']);
    for (const name of names) {
      const field = fields.claim(fieldNameOf(name), `${place}.${name}`);
      const coordinate = `${ref.name}.${field}`;
      const shown = objects.map((object) => (Object.hasOwn(object, name) ? object[name] : null));
      const below = { resource, keys: [...keys, name], words: `${words}_${name}`, coordinate };
      const { type, read } = this.#valueOf(below, shown);
      builder.objectField(ref, field, (t) =>
        t.field({
          type: type as 'JSON',
          nullable: nullable(type),
          resolve: ({ value }, _args, { operation }) =>
            isObject(value) ? read(value[name], operation) : refuse(operation, coordinate),
        }),
      );
    }
    return ref;
  }
}

/** Returns the names of the fields of objects; null where they have none in common, so that they are of different kinds. */
function sharedNamesOf(objects: readonly object[]): readonly string[] | null {
  const names = [...new Set(objects.flatMap(Object.keys))].sort();
  const isShared = names.some((name) => objects.every((object) => Object.hasOwn(object, name)));
  return isShared && names.length <= MAX_FIELDS && names.every((name) => NAME.test(name)) ? names : null;
}

function refuse(operation: Operation, coordinate: string): null {
  operation.warn('VALUE_UNEXPECTED', coordinate);
  return null;
}
