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
import type { Part } from '../incremental/part.ts';
import { type Completion, isPromiseLike } from './complete-value.ts';
import {
  type ArgumentValues,
  type FieldPlan,
  type OperationPlan,
  ResolveInfo,
  type Selection,
  type Variables,
} from './operation-plan.ts';
import { type Pauses, Suspended } from './pauses.ts';
import {
  abandonFields,
  FieldErrors,
  fieldPathOf,
  type Path,
  pathBelow,
  ResponseObject,
  settle,
} from './response.ts';

/** What an execution needs besides its plan. */
export interface ExecutionOptions
  extends Pick<ExecutionArgs, 'rootValue' | 'contextValue' | 'fieldResolver' | 'typeResolver'> {
  readonly variables: Variables;
  readonly pauses: Pauses;
  /** Whether an error where the type is non-null leaves null in its nearest nullable parent; otherwise in its own place. */
  readonly isPropagating: boolean;
}

/** The fields of an object that are not resolved yet. */
interface RestOfFields {
  /** Index of the first of them. */
  readonly first: number;
  readonly selection: Selection;
  readonly source: unknown;
  readonly path: Path;
  readonly object: ResponseObject;
  /** The names of earlier fields whose values come later; null for none. */
  pending: string[] | null;
}

/** One execution of a plan. A value of the response is a promise only where a resolver returns a promise, or where it pauses. */
export class Execution {
  readonly plan: OperationPlan;
  readonly rootValue: unknown;
  readonly context: unknown;
  readonly variables: Variables;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  readonly #fieldResolver: GraphQLFieldResolver<unknown, unknown>;
  /** Those of the whole operation. */
  readonly pauses: Pauses;
  readonly #errors = new FieldErrors();
  /** Arguments with variables, which are the same for all rows of a list. */
  readonly #arguments = new Map<FieldPlan, ArgumentValues>();
  readonly #options: ExecutionOptions;
  /** The part of the result that is executed; null where the result comes in one part. */
  readonly part: Part | null;

  constructor(plan: OperationPlan, options: ExecutionOptions, part: Part | null = null) {
    this.plan = plan;
    this.part = part;
    this.#options = options;
    this.variables = options.variables;
    this.rootValue = options.rootValue;
    this.context = options.contextValue;
    this.#fieldResolver = options.fieldResolver ?? defaultFieldResolver;
    this.typeResolver = options.typeResolver ?? defaultTypeResolver;
    this.pauses = options.pauses;
  }

  /** Makes what executes a part of the result, with errors of its own. */
  fork(part: Part): Execution {
    return new Execution(this.plan, this.#options, part);
  }

  /** Whether an error has left null at a path or above it. */
  isNulled(path: Path): boolean {
    return this.#errors.isNulled(path);
  }

  /** The `info` argument about a field. @param path The path of a value of the field. */
  infoAt(field: FieldPlan, path: ResponsePath): ResolveInfo {
    return new ResolveInfo(this, field, fieldPathOf(path));
  }

  /** Reports an error that leaves no data. */
  fail(error: GraphQLError): void {
    this.#errors.add(error, undefined);
  }

  /** The errors so far, in the order in which they happened. */
  get errors(): readonly GraphQLError[] {
    return this.#errors.errors;
  }

  /** Resolves the operation. Null when an error leaves no data, or ends the operation in a pause. Never throws or rejects. */
  run(): ResponseObject | null | Promise<ResponseObject | null> {
    const fail = (error: unknown): null => {
      this.fail(error as GraphQLError);
      return null;
    };
    try {
      const { root, operation } = this.plan;
      const isSerial = operation.operation === OperationTypeNode.MUTATION;
      const data = isSerial
        ? this.#resolveSerially(root)
        : this.pauses.began(this.resolveFields(root, this.rootValue, undefined));
      if (!(data instanceof Promise)) return data as ResponseObject;
      return new Promise((resolve) => {
        this.pauses.onEnd((error) => resolve(fail(locatedError(error, undefined))));
        data.then(resolve, (error: unknown) => resolve(fail(error)));
      });
    } catch (error) {
      return fail(error);
    }
  }

  /**
   * Resolves the fields of an object, all at once. The object has them in the order of the selection.
   * @returns The object, or a promise of it; `Suspended` in a pause.
   */
  resolveFields(selection: Selection, source: unknown, path: Path): ResponseObject | Promise<unknown> {
    return this.#resolveFrom(0, selection, source, path, new ResponseObject(), null);
  }

  /** Resolves the fields from one on, see `RestOfFields`. */
  #resolveFrom(
    first: number,
    selection: Selection,
    source: unknown,
    path: Path,
    object: ResponseObject,
    pending: string[] | null,
  ): ResponseObject | Promise<unknown> {
    try {
      for (let index = first; index < selection.length; index += 1) {
        const paused = this.pauses.next();
        if (paused !== undefined)
          return this.#suspendFields(paused, { first: index, selection, source, path, object, pending });
        const field = selection[index] as FieldPlan;
        const value = this.#resolveField(field, source, path);
        object[field.responseName] = value;
        if (value instanceof Promise) {
          if (value instanceof Suspended)
            return this.#resumeFields(value, { first: index + 1, selection, source, path, object, pending });
          pending ??= [];
          pending.push(field.responseName);
        }
      }
      this.part?.defer(this.plan.deferredBeside(selection), source, path);
    } catch (error) {
      return abandonFields(object, pending, error);
    }
    return pending === null ? object : settle(object, pending);
  }

  #suspendFields(paused: Promise<void>, rest: RestOfFields): Suspended {
    return this.pauses.suspend(paused, () => this.#resolveRest(rest));
  }

  /** @param value The value of the field before the first of the rest. */
  #resumeFields(value: Suspended, rest: RestOfFields): Suspended {
    const { object, selection, first, pending } = rest;
    const { responseName } = selection[first - 1] as FieldPlan;
    const goOn = (completed: unknown): unknown => {
      object[responseName] = completed;
      if (completed instanceof Promise) rest.pending = [...(pending ?? []), responseName];
      return this.#resolveRest(rest);
    };
    return value.resume(goOn, (error) => abandonFields(object, pending, error));
  }

  #resolveRest({ first, selection, source, path, object, pending }: RestOfFields): unknown {
    return this.#resolveFrom(first, selection, source, path, object, pending);
  }

  /** Resolves the fields of a mutation, each after those before it have ended. */
  #resolveSerially(selection: Selection): ResponseObject | Promise<ResponseObject> {
    const object = new ResponseObject();
    const resolve = (field: FieldPlan): Promise<void> | undefined => {
      const value = this.pauses.begin(() => this.#resolveField(field, this.rootValue, undefined));
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
      return completed instanceof Promise
        ? this.#handleFailure(completed, field, path, isNonNull)
        : completed;
    } catch (error) {
      return this.#fail(error, field, path, isNonNull);
    }
  }

  #handleFailure(
    completed: Promise<unknown>,
    field: FieldPlan,
    path: ResponsePath,
    isNonNull: boolean,
  ): Promise<unknown> {
    const fail = (error: unknown): null => this.#fail(error, field, path, isNonNull);
    if (!(completed instanceof Suspended)) return completed.catch(fail);
    return completed.resume((rest) => (rest instanceof Promise ? rest.catch(fail) : rest), fail);
  }

  #completeLater(
    field: FieldPlan,
    completion: Completion,
    path: ResponsePath,
    value: PromiseLike<unknown>,
  ): Promise<unknown> {
    this.pauses.addLater();
    return Promise.resolve(value).then(
      (resolved) => this.#completeInTurn(field, completion, path, resolved),
      (error: unknown) => this.pauses.begin(() => this.#fail(error, field, path, completion.isNonNull)),
    );
  }

  /** Completes a value that has come later, at once or after a pause. */
  #completeInTurn(field: FieldPlan, completion: Completion, path: ResponsePath, value: unknown): unknown {
    return this.pauses.mustWait()
      ? this.#completeAfterPause(field, completion, path, value)
      : this.pauses.began(this.#completeNow(field, completion, path, value));
  }

  #completeAfterPause(field: FieldPlan, completion: Completion, path: ResponsePath, value: unknown): unknown {
    return this.pauses.wait(() => this.#completeNow(field, completion, path, value));
  }

  #completeNow(field: FieldPlan, completion: Completion, path: ResponsePath, value: unknown): unknown {
    try {
      this.pauses.abandoned?.throwIfAborted();
    } catch (error) {
      return this.#fail(error, field, path, completion.isNonNull);
    }
    return this.complete(field, completion, path, value);
  }

  #fail(cause: unknown, { nodes }: FieldPlan, path: ResponsePath, isNonNull: boolean): null {
    const error = locatedError(cause, nodes, responsePathAsArray(path));
    if (isNonNull && this.#options.isPropagating) throw error;
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
