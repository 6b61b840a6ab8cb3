// Runs a planned operation: calls the resolvers, and puts the response together.
import {
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLTypeResolver,
  getArgumentValues,
  locatedError,
  OperationTypeNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { ResultSizeError } from '../errors.ts';
import { type Completion, isPromiseLike } from './complete-value.ts';
import type { ExecuteArgs } from './execute.ts';
import {
  type ArgumentValues,
  type FieldPlan,
  type OperationPlan,
  ResolveInfo,
  type Selection,
  type Variables,
} from './operation-plan.ts';
import {
  abandonFields,
  FieldErrors,
  fieldPathOf,
  type Path,
  pathBelow,
  ResponseObject,
  settle,
} from './response.ts';

/** One execution of a plan. A value of the response is a promise only where a resolver returns a promise. */
export class Execution {
  readonly plan: OperationPlan;
  readonly rootValue: unknown;
  readonly context: unknown;
  readonly variables: Variables;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  readonly #fieldResolver: GraphQLFieldResolver<unknown, unknown>;
  readonly #errors = new FieldErrors();
  /** Arguments with variables, which are the same for all rows of a list. */
  readonly #arguments = new Map<FieldPlan, ArgumentValues>();
  /** Whether an error where the type is non-null leaves null in its nearest nullable parent; otherwise in its own place. */
  readonly #isPropagating: boolean;
  readonly #maxSize: number;
  #size = 0;

  constructor(plan: OperationPlan, args: ExecuteArgs, variables: Variables, maxSize: number) {
    this.plan = plan;
    this.variables = variables;
    this.rootValue = args.rootValue;
    this.context = args.contextValue;
    this.#fieldResolver = args.fieldResolver ?? defaultFieldResolver;
    this.typeResolver = args.typeResolver ?? defaultTypeResolver;
    this.#isPropagating = (args.onError ?? 'PROPAGATE') === 'PROPAGATE';
    this.#maxSize = maxSize;
  }

  /** Returns the `info` argument about a field. @param path The path of a value of the field. */
  infoAt(field: FieldPlan, path: ResponsePath): ResolveInfo {
    return new ResolveInfo(this, field, fieldPathOf(path));
  }

  /** Counts the characters of a value. A short document can repeat one long text in many fields. */
  addSize(characters: number): void {
    this.#size += characters;
  }

  /** Returns the result. @throws ResultSizeError when it is larger than allowed. */
  toResult(data: ResponseObject | null): ExecutionResult {
    if (this.#size > this.#maxSize) throw new ResultSizeError(this.#maxSize);
    const { errors } = this.#errors;
    return errors.length === 0 ? { data } : { errors, data };
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
      return abandonFields(object, pending, error);
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
      value = resolve(source, this.#argumentsOf(field), this.context, new ResolveInfo(this, field, path));
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
    const fail = (error: unknown): null => this.#fail(error, field, path, completion.isNonNull);
    try {
      if (isPromiseLike(value))
        return Promise.resolve(value).then(
          (resolved) => this.complete(field, completion, path, resolved),
          fail,
        );
      const completed = completion.complete(this, field, path, value);
      return completed instanceof Promise ? completed.catch(fail) : completed;
    } catch (error) {
      return fail(error);
    }
  }

  #fail(cause: unknown, { nodes }: FieldPlan, path: ResponsePath, isNonNull: boolean): null {
    const error = locatedError(cause, nodes, responsePathAsArray(path));
    if (isNonNull && this.#isPropagating) throw error;
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
