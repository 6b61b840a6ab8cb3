// Runs a planned operation: calls the resolvers, and puts the response together.
import {
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLTypeResolver,
  getArgumentValues,
  locatedError,
  OperationTypeNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { type Completion, isPromiseLike } from './complete-value.ts';
import type { ArgumentValues, FieldPlan, OperationPlan, Selection, Variables } from './operation-plan.ts';
import { type Path, pathBelow, ResolveInfo } from './resolve-info.ts';

/** An object of the response. It inherits nothing from `Object.prototype`, and V8 handles it faster than one of `Object.create(null)`. */
export class ResponseObject {
  [responseName: string]: unknown;
}
Object.setPrototypeOf(ResponseObject.prototype, null);

/** What an execution needs of an AbortSignal. */
export type AbandonedSignal = Pick<AbortSignal, 'throwIfAborted'>;

/** What an execution needs besides its plan. */
export interface ExecutionOptions
  extends Pick<ExecutionArgs, 'rootValue' | 'contextValue' | 'fieldResolver' | 'typeResolver'> {
  readonly variables: Variables;
  /** Aborts when nobody waits for the result. No field below a value that comes later is resolved. */
  readonly abandoned: AbandonedSignal | undefined;
}

/** One execution of a plan. A value of the response is a promise only where a resolver returns a promise. */
export class Execution {
  readonly plan: OperationPlan;
  readonly rootValue: unknown;
  readonly context: unknown;
  readonly variables: Variables;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  readonly #fieldResolver: GraphQLFieldResolver<unknown, unknown>;
  readonly #abandoned: AbandonedSignal | undefined;
  readonly #errors = new FieldErrors();
  /** Arguments with variables, which are the same for all rows of a list. */
  readonly #arguments = new Map<FieldPlan, ArgumentValues>();

  constructor(plan: OperationPlan, options: ExecutionOptions) {
    this.plan = plan;
    this.variables = options.variables;
    this.rootValue = options.rootValue;
    this.context = options.contextValue;
    this.#fieldResolver = options.fieldResolver ?? defaultFieldResolver;
    this.typeResolver = options.typeResolver ?? defaultTypeResolver;
    this.#abandoned = options.abandoned;
  }

  /** The errors so far, in the order in which they happened. */
  get errors(): readonly GraphQLError[] {
    return this.#errors.errors;
  }

  /** Resolves the operation. Null when an error leaves no data. Never throws or rejects. */
  run(): ResponseObject | null | Promise<ResponseObject | null> {
    const fail = (error: unknown): null => {
      this.#errors.add(error as GraphQLError, undefined);
      return null;
    };
    try {
      const { root, operation } = this.plan;
      const isSerial = operation.operation === OperationTypeNode.MUTATION;
      const data = isSerial
        ? this.#resolveSerially(root)
        : this.resolveFields(root, this.rootValue, undefined);
      return data instanceof Promise ? data.catch(fail) : data;
    } catch (error) {
      return fail(error);
    }
  }

  /** Resolves the fields of an object, all at once. The object has them in the order of the selection. */
  resolveFields(selection: Selection, source: unknown, path: Path): ResponseObject | Promise<ResponseObject> {
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
      return settle(object, pending).finally(() => {
        throw error;
      });
    }
    return pending === null ? object : settle(object, pending);
  }

  /** Resolves the fields of a mutation, each after those before it have ended. */
  #resolveSerially(selection: Selection): ResponseObject | Promise<ResponseObject> {
    const object = new ResponseObject();
    const resolve = (field: FieldPlan): Promise<void> | undefined => {
      const value = this.#resolveField(field, this.rootValue, undefined);
      const set = (completed: unknown): undefined => {
        object[field.responseName] = completed;
      };
      return value instanceof Promise ? value.then(set) : set(value);
    };
    let previous: Promise<void> | undefined;
    for (const field of selection)
      previous = previous === undefined ? resolve(field) : previous.then(() => resolve(field));
    return previous === undefined ? object : previous.then(() => object);
  }

  #resolveField(field: FieldPlan, source: unknown, parentPath: Path): unknown {
    const path = pathBelow(parentPath, field.responseName, field.parentType.name);
    let value: unknown;
    try {
      const resolve = field.resolve ?? this.#fieldResolver;
      const info = new ResolveInfo(this, field, path);
      value = resolve(source, this.#argumentsOf(field), this.context, info);
    } catch (error) {
      return this.#fail(error, field, path, field.isNonNull);
    }
    return this.complete(field, field, path, value);
  }

  /**
   * Completes the value of a field, or an item of its list. An error becomes null, unless the type is non-null.
   * @returns The value of the response, or a promise of it.
   * @throws GraphQLError when the type is non-null.
   */
  complete(field: FieldPlan, completion: Completion, path: ResponsePath, value: unknown): unknown {
    const { complete, isNonNull } = completion;
    try {
      if (isPromiseLike(value)) return this.#completeLater(field, completion, path, value);
      const completed = complete(this, field, path, value);
      if (!(completed instanceof Promise)) return completed;
      return completed.catch((error: unknown) => this.#fail(error, field, path, isNonNull));
    } catch (error) {
      return this.#fail(error, field, path, isNonNull);
    }
  }

  #completeLater(
    field: FieldPlan,
    completion: Completion,
    path: ResponsePath,
    value: PromiseLike<unknown>,
  ): Promise<unknown> {
    const fail = (error: unknown): null => this.#fail(error, field, path, completion.isNonNull);
    return Promise.resolve(value).then((resolved) => {
      try {
        this.#abandoned?.throwIfAborted();
      } catch (error) {
        return fail(error);
      }
      return this.complete(field, completion, path, resolved);
    }, fail);
  }

  #fail(cause: unknown, { nodes }: FieldPlan, path: ResponsePath, isNonNull: boolean): null {
    const error = locatedError(cause, nodes, responsePathAsArray(path));
    if (isNonNull) throw error;
    this.#errors.add(error, path);
    return null;
  }

  #argumentsOf(field: FieldPlan): ArgumentValues {
    if (field.constantArguments !== null) return field.constantArguments;
    let values = this.#arguments.get(field);
    if (values === undefined) {
      values = Object.freeze(getArgumentValues(field.definition, field.node, this.variables));
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

/** The errors of one execution, without those below a position that has become null. */
class FieldErrors {
  /** The paths at which an error has left null. */
  readonly #nulledPaths = new Set<Path>();
  readonly #errors: GraphQLError[] = [];

  /** The errors in the order in which they happened. The array grows while the execution runs. */
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
