// Creates types for JSON outputs whose shape is known from the examples of the API.
import type { Operation } from '../../loaders/operation.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import { isObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import { codeOf } from '../descriptions/descriptions.ts';
import { memo } from '../memo.ts';
import { exampleShapesOf, type ObjectShape, objectIn, type Shape } from '../model/example-shapes.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { FieldNames } from '../names/field-names.ts';
import { fieldNameOf } from '../names/naming.ts';
import { nullable } from './field-options.ts';

/** A value as the API has sent it, whatever its shape. */
export interface Sent {
  readonly value: unknown;
}

type SentRef = ReturnType<typeof createRef>;

const createRef = (builder: Builder, name: string) => builder.objectRef<Sent>(name);

/** The type of a value, and its reader, which warns of a value that has another shape and returns null for it. */
interface ExampleValue {
  readonly type: SentRef | readonly [SentRef] | Scalar | readonly [Scalar];
  read(value: unknown, operation: Operation): unknown;
}

type Scalar = Extract<Shape, string>;

/** The types of one schema. */
export class ExampleTypes {
  readonly #assembly: Assembly;
  readonly #shapesOf = memo(({ actions }: ResourceModel) => exampleShapesOf(actions));
  readonly #refs = new Map<string, SentRef>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  /**
   * Returns the type of an output, or null where it stays JSON.
   * @param coordinate Schema coordinate of its field, for warnings.
   */
  valueFor(resource: ResourceModel, { name, type }: Parameter, coordinate: string): ExampleValue | null {
    if (type !== 'Custom') return null;
    const shape = this.#shapesOf(resource).get(name);
    return shape === undefined ? null : this.#valueOf(resource, shape, name, coordinate);
  }

  /** @param source The names of the output and of the fields that lead to the value. */
  #valueOf(resource: ResourceModel, shape: Shape, source: string, coordinate: string): ExampleValue {
    if (typeof shape === 'object' && 'items' in shape) {
      const { type, read } = this.#valueOf(resource, shape.items, source, coordinate);
      return {
        type: [type as SentRef],
        read(value, operation) {
          if (value === null || value === undefined) return null;
          if (Array.isArray(value)) return value.map((item) => read(item, operation));
          return refuse(operation, coordinate);
        },
      };
    }
    const object = objectIn(shape);
    if (object !== null)
      return {
        type: this.#refFor(resource, object, source),
        read: (value) => (value == null ? null : { value }),
      };
    const convert = converterOf(shape as Scalar);
    return {
      type: shape as Scalar,
      read: (value, operation) => (value == null ? null : (convert(value) ?? refuse(operation, coordinate))),
    };
  }

  #refFor(resource: ResourceModel, { fields }: ObjectShape, source: string): SentRef {
    const { builder, names } = this.#assembly;
    const key = `${pathKey(resource.path)} ${source}`;
    const known = this.#refs.get(key);
    if (known !== undefined) return known;
    const ref = createRef(builder, names.nameFor(resource, 'shape', source));
    this.#refs.set(key, ref);
    const place = codeOf(`${pathKey(resource.path)}.${source}`);
    builder.objectType(ref, {
      description: `Output ${place}, as examples of the API show it. A value of another kind is null, with a warning.`,
    });
    const fieldNames = new FieldNames(ref.name, this.#assembly, ['json']);
    builder.objectField(ref, 'json', (t) =>
      t.field({
        type: 'JSON',
        description: 'The whole value, also what the examples do not show.',
        resolve: ({ value }) => value,
      }),
    );
    for (const [name, shape] of fields) {
      const field = fieldNames.claim(fieldNameOf(name), `${key}.${name}`);
      const coordinate = `${ref.name}.${field}`;
      const { type, read } = this.#valueOf(resource, shape, `${source}.${name}`, coordinate);
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

function refuse(operation: Operation, coordinate: string): null {
  operation.warn('VALUE_UNEXPECTED', coordinate);
  return null;
}

/** Returns a function that reads a value of a type; undefined for others. The whole value has been read as JSON before. */
function converterOf(type: Scalar): (value: unknown) => unknown {
  if (type === 'JSON') return (value) => value;
  if (type === 'SafeInt') return (value) => (Number.isSafeInteger(value) ? value : undefined);
  const wanted = { String: 'string', Float: 'number', Boolean: 'boolean' }[type];
  return (value) => (typeof value === wanted ? value : undefined);
}
