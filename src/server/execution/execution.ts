// Carries out one execution of a plan: resolves fields, and completes their values.
import {
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionResult,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
  locatedError,
  OperationTypeNode,
  type ResponsePath as Path,
  responsePathAsArray,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { ResultSizeError } from '../errors.ts';
import type { ExecuteArgs, FieldPlan, OperationPlan, Selection, Shape, Variables } from './execute.ts';

/** An object of the response. It inherits nothing from `Object.prototype`, and V8 handles it faster than one of `Object.create(null)`. */
class ResponseObject {
  [responseName: string]: unknown;
}
Object.setPrototypeOf(ResponseObject.prototype, null);

type Resolved = ResponseObject | Promise<ResponseObject>;

/** One execution of a plan, as graphql-js executes it. A value of the response is a promise only where a resolver returns a promise. */
export class Execution {
  readonly #plan: OperationPlan;
  readonly #args: ExecuteArgs;
  readonly #variables: Record<string, unknown>;
  /** Arguments with variables, which are the same for all rows of a list. */
  readonly #arguments = new Map<FieldPlan, Variables>();
  readonly #maxSize: number;
  /** Characters of all values so far. A short document can repeat one long text in many fields. */
  #size = 0;
  /** The errors in the order in which they happened, without those below a position that has become null. */
  readonly #errors: GraphQLError[] = [];
  /** The paths at which an error has left null. */
  readonly #nulledPaths = new Set<Path | undefined>();

  constructor(plan: OperationPlan, args: ExecuteArgs, variables: Variables, maxSize: number) {
    this.#plan = plan;
    this.#variables = variables;
    this.#args = args;
    this.#maxSize = maxSize;
  }

  /** Returns the `info` argument about a field. @param path The path of a value of the field: also that of an item in its list. */
  #infoAt({ definition, nodes, parentType }: FieldPlan, path: Path): GraphQLResolveInfo {
    let ofField = path;
    while (typeof ofField.key === 'number' && ofField.prev !== undefined) ofField = ofField.prev;
    return {
      fieldName: definition.name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType,
      path: ofField,
      schema: this.#plan.schema,
      fragments: this.#plan.fragments,
      rootValue: this.#args.rootValue,
      operation: this.#plan.operation,
      variableValues: this.#variables,
    };
  }

  /** Resolves the operation. @throws ResultSizeError when the result is larger than allowed, and nothing else; a promise rejects with it. */
  run(): ExecutionResult | Promise<ExecutionResult> {
    const fail = (error: unknown): null => {
      this.#addError(error as GraphQLError, undefined);
      return null;
    };
    let data: Resolved | null;
    try {
      const { root, operation } = this.#plan;
      const isSerial = operation.operation === OperationTypeNode.MUTATION;
      data = isSerial
        ? this.#resolveSerially(root)
        : this.#resolveFields(root, this.#args.rootValue, undefined);
    } catch (error) {
      data = fail(error);
    }
    if (!(data instanceof Promise)) return this.#toResult(data);
    return data.catch(fail).then((settled) => this.#toResult(settled));
  }

  #toResult(data: ResponseObject | null): ExecutionResult {
    if (this.#size > this.#maxSize) throw new ResultSizeError(this.#maxSize);
    return this.#errors.length === 0 ? { data } : { errors: this.#errors, data };
  }

  /** Resolves the fields of an object, all at once. The object has them in the order of the selection. */
  #resolveFields(selection: Selection, source: unknown, path: Path | undefined): Resolved {
    const object = new ResponseObject();
    let pending: string[] | null = null;
    try {
      for (const field of selection) {
        const value = this.#resolveField(field, source, path);
        object[field.responseName] = value;
        if (value instanceof Promise) {
          pending ??= [];
          pending.push(field.responseName);
        }
      }
    } catch (error) {
      if (pending === null) throw error;
      // The other fields settle first, so that none of their rejections is unhandled.
      return settle(object, pending).finally(() => Promise.reject(error));
    }
    return pending === null ? object : settle(object, pending);
  }

  /** Resolves the fields of a mutation, each after those before it have ended. */
  #resolveSerially(selection: Selection): Resolved {
    const object = new ResponseObject();
    const resolveFrom = (first: number): Resolved => {
      for (let index = first; index < selection.length; index += 1) {
        const field = selection[index] as FieldPlan;
        const value = this.#resolveField(field, this.#args.rootValue, undefined);
        object[field.responseName] = value;
        if (value instanceof Promise)
          return settle(object, [field.responseName]).then(() => resolveFrom(index + 1));
      }
      return object;
    };
    return resolveFrom(0);
  }

  #resolveField(field: FieldPlan, source: unknown, parentPath: Path | undefined): unknown {
    const path = { prev: parentPath, key: field.responseName, typename: field.parentType.name };
    let value: unknown;
    try {
      const resolve = field.definition.resolve ?? defaultFieldResolver;
      value = resolve(source, this.#argumentsOf(field), this.#args.contextValue, this.#infoAt(field, path));
    } catch (error) {
      return this.#fail(error, field, path, field.shape);
    }
    return this.#complete(field, field.shape, path, value);
  }

  /**
   * Completes the value of a field, or an item of its list. An error becomes null, unless the type is non-null.
   * @returns The value of the response, or a promise of it where a part of the value is a promise.
   * @throws GraphQLError when the type is non-null.
   */
  #complete(field: FieldPlan, shape: Shape, path: Path, value: unknown): unknown {
    try {
      if (isPromiseLike(value)) return this.#completeLater(field, shape, path, value);
      const completed = this.#completeSettled(field, shape, path, value);
      return completed instanceof Promise ? this.#catch(completed, field, shape, path) : completed;
    } catch (error) {
      return this.#fail(error, field, path, shape);
    }
  }

  // The two have functions of their own because V8 makes a closure's context for each call, also for one that needs no closure.
  #catch(completed: Promise<unknown>, field: FieldPlan, shape: Shape, path: Path) {
    return completed.catch((error: unknown) => this.#fail(error, field, path, shape));
  }

  #completeLater(field: FieldPlan, shape: Shape, path: Path, value: PromiseLike<unknown>) {
    return Promise.resolve(value).then(
      (resolved) => this.#complete(field, shape, path, resolved),
      (error: unknown) => this.#fail(error, field, path, shape),
    );
  }

  #completeSettled(field: FieldPlan, shape: Shape, path: Path, value: unknown): unknown {
    if (value === null || value === undefined) {
      if (!shape.isNonNull) return null;
      throw new Error(`Cannot return null for non-nullable field ${coordinateOf(field)}.`);
    }
    if (value instanceof Error) throw value;
    switch (shape.kind) {
      case 'leaf':
        return this.#completeLeaf(shape.type, value);
      case 'object':
        return this.#completeObject(field, shape.type, path, value);
      case 'list':
        return this.#completeList(field, shape.item, path, value);
      case 'abstract':
        return this.#completeAbstract(field, shape.type, path, value);
    }
  }

  #completeLeaf(type: GraphQLLeafType, value: unknown): unknown {
    const serialized: unknown = type.serialize(value);
    if (typeof serialized === 'string') this.#size += serialized.length;
    else if (typeof serialized !== 'number' && typeof serialized !== 'boolean')
      this.#size += jsonLengthOf(type, value, serialized);
    return serialized;
  }

  #completeList(field: FieldPlan, item: Shape, path: Path, value: unknown): unknown {
    if (typeof value !== 'object' || typeof (value as Iterable<unknown>)[Symbol.iterator] !== 'function')
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${coordinateOf(field)}".`);
    const items: unknown[] = [];
    let isPending = false;
    try {
      for (const one of value as Iterable<unknown>) {
        const itemPath = { prev: path, key: items.length, typename: undefined };
        const completed = this.#complete(field, item, itemPath, one);
        isPending ||= completed instanceof Promise;
        items.push(completed);
      }
    } catch (error) {
      // Nobody else waits for the other items.
      void Promise.allSettled(items);
      throw error;
    }
    return isPending ? Promise.all(items) : items;
  }

  #completeObject(field: FieldPlan, type: GraphQLObjectType, path: Path, value: unknown): unknown {
    if (type.isTypeOf) return this.#completeIfOfType(field, type, path, value);
    return this.#resolveFields(this.#plan.selectionBelow(field, type), value, path);
  }

  #completeIfOfType(field: FieldPlan, type: GraphQLObjectType, path: Path, value: unknown): unknown {
    const selection = this.#plan.selectionBelow(field, type);
    const isOfType = type.isTypeOf?.(value, this.#args.contextValue, this.#infoAt(field, path));
    const resolveFields = (isMatch: boolean | undefined) => {
      if (isMatch) return this.#resolveFields(selection, value, path);
      throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, {
        nodes: field.nodes,
      });
    };
    return isPromiseLike(isOfType) ? Promise.resolve(isOfType).then(resolveFields) : resolveFields(isOfType);
  }

  #completeAbstract(field: FieldPlan, type: GraphQLAbstractType, path: Path, value: unknown): unknown {
    const resolveType = type.resolveType ?? defaultTypeResolver;
    const name: unknown = resolveType(value, this.#args.contextValue, this.#infoAt(field, path), type);
    const completeAs = (typeName: unknown) => {
      const found = typeof typeName === 'string' ? this.#plan.schema.getType(typeName) : undefined;
      if (isObjectType(found) && this.#plan.schema.isSubType(type, found))
        return this.#completeObject(field, found, path, value);
      const message = `The value of ${coordinateOf(field)} is of ${inspect(typeName)}, which is no object type of ${type.name}.`;
      throw new GraphQLError(message, { nodes: field.nodes });
    };
    return isPromiseLike(name) ? Promise.resolve(name).then(completeAs) : completeAs(name);
  }

  #fail(cause: unknown, { nodes }: FieldPlan, path: Path, { isNonNull }: Shape): null {
    const error = locatedError(cause, nodes, responsePathAsArray(path));
    // Null then takes the place of the nearest nullable parent.
    if (isNonNull && this.#args.onError !== 'NULL') throw error;
    this.#addError(error, path);
    return null;
  }

  /** Adds the error that leaves null at a path, unless an earlier error has left null there or above. */
  #addError(error: GraphQLError, path: Path | undefined): void {
    for (let position = path; this.#nulledPaths.size > 0; position = position.prev) {
      if (this.#nulledPaths.has(position)) return;
      if (position === undefined) break;
    }
    this.#nulledPaths.add(path);
    this.#errors.push(error);
  }

  #argumentsOf(field: FieldPlan): Variables {
    if (field.constantArguments !== null) return field.constantArguments;
    let values = this.#arguments.get(field);
    if (values === undefined) {
      values = Object.freeze(getArgumentValues(field.definition, field.nodes[0], this.#variables));
      this.#arguments.set(field, values);
    }
    return values;
  }
}

/** Replaces the promises in an object by their values. Rejects when one of them rejects. */
function settle(object: ResponseObject, pending: readonly string[]): Promise<ResponseObject> {
  const promises = pending.map((name) => object[name]);
  const set = (values: readonly unknown[]): ResponseObject => {
    for (const [index, name] of pending.entries()) object[name] = values[index];
    return object;
  };
  // Most objects have one, for which `Promise.all` would make two more.
  if (promises.length === 1) return Promise.resolve(promises[0]).then((value) => set([value]));
  return Promise.all(promises).then(set);
}

const coordinateOf = (field: FieldPlan): string => `${field.parentType.name}.${field.definition.name}`;

/** Returns the length of a value as JSON. @throws when there is no value, or one that JSON cannot hold, such as a BigInt or a cycle. */
function jsonLengthOf(type: GraphQLLeafType, value: unknown, serialized: unknown): number {
  const json = serialized === null ? undefined : JSON.stringify(serialized);
  if (json !== undefined) return json.length;
  const call = `${inspect(type)}.serialize(${inspect(value)})`;
  throw new Error(`Expected \`${call}\` to return non-nullable value, returned: ${inspect(serialized)}`);
}

/** Whether a value is a promise of any kind. */
const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
