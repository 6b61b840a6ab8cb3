// Executes operations as graphql-js does, by plans, which halve the processor time of lists.
import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import {
  createSourceEventStream,
  defaultFieldResolver,
  defaultTypeResolver,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLTypeResolver,
  getArgumentValues,
  getVariableValues,
  locatedError,
  OperationTypeNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { ResultSizeError } from '../errors.ts';
import type { OnError } from '../operation-request.ts';
import type { Executed } from '../plugin.ts';
import { type Completion, isPromiseLike } from './complete-value.ts';
import {
  type ArgumentValues,
  type FieldPlan,
  findOperation,
  type OperationPlan,
  type Selection,
  type Variables,
} from './operation-plan.ts';

/** Variable errors after which no further variables are read, as in graphql-js. */
const MAX_VARIABLE_ERRORS = 50;

/** The arguments of graphql-js, and that of the coming specification. */
export interface ExecuteArgs extends ExecutionArgs {
  /** Default: `PROPAGATE`. */
  readonly onError?: OnError;
}

/**
 * Executes a query, a mutation or an event of a subscription. The result is a promise only if a resolver returns one.
 * @param maxSize Characters of all texts in the result. Default: no limit. @throws ResultSizeError beyond it; a promise rejects with it.
 */
export function execute(
  args: ExecuteArgs,
  maxSize = Number.POSITIVE_INFINITY,
): ExecutionResult | Promise<ExecutionResult> {
  const operation = findOperation(args.schema, args.document, args.operationName);
  if (operation === null)
    return { errors: [new GraphQLError('Could not determine what operation to execute.')] };
  const { errors, coerced } = getVariableValues(
    args.schema,
    operation.definition.variableDefinitions ?? [],
    args.variableValues ?? {},
    { maxErrors: MAX_VARIABLE_ERRORS },
  );
  if (errors !== undefined) return { errors };
  const execution = new Execution(operation.planFor(coerced), args, coerced, maxSize);
  const data = execution.run();
  return data instanceof Promise
    ? data.then((settled) => execution.toResult(settled))
    : execution.toResult(data);
}

/** Opens the stream of a subscription, and executes the selection for each event. Returns a result where there is no stream. */
export async function subscribe(
  args: ExecutionArgs,
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>,
): Promise<Executed> {
  const source = await createSourceEventStream(args);
  if (!isAsyncIterable(source)) return source;
  return mapAsyncIterator(source, async (rootValue) => execute({ ...args, rootValue }));
}

/** A path in the response; undefined for the response itself. */
type Path = ResponsePath | undefined;

/** An object of the response. It inherits nothing from `Object.prototype`, and V8 handles it faster than one of `Object.create(null)`. */
class ResponseObject {
  [responseName: string]: unknown;
}
Object.setPrototypeOf(ResponseObject.prototype, null);

/** One execution of a plan. A value of the response is a promise only where a resolver returns a promise. */
export class Execution {
  readonly plan: OperationPlan;
  readonly context: unknown;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  readonly #rootValue: unknown;
  readonly #variables: Record<string, unknown>;
  readonly #fieldResolver: GraphQLFieldResolver<unknown, unknown>;
  /** Arguments with variables, which are the same for all rows of a list. */
  readonly #arguments = new Map<FieldPlan, ArgumentValues>();
  /** Whether an error where the type is non-null leaves null in its nearest nullable parent; otherwise in its own place. */
  readonly #isPropagating: boolean;
  readonly #maxSize: number;
  #size = 0;
  /** The errors in the order in which they happened, without those below a position that has become null. */
  readonly #errors: GraphQLError[] = [];
  /** The paths at which an error has left null. */
  readonly #nulledPaths = new Set<Path>();

  constructor(plan: OperationPlan, args: ExecuteArgs, variables: Variables, maxSize: number) {
    this.plan = plan;
    this.#variables = variables;
    this.#rootValue = args.rootValue;
    this.context = args.contextValue;
    this.#fieldResolver = args.fieldResolver ?? defaultFieldResolver;
    this.typeResolver = args.typeResolver ?? defaultTypeResolver;
    this.#isPropagating = (args.onError ?? 'PROPAGATE') === 'PROPAGATE';
    this.#maxSize = maxSize;
  }

  /** Returns the `info` argument about a field. @param path The path of a value of the field: also that of an item in its list. */
  infoAt({ definition, nodes, parentType }: FieldPlan, path: ResponsePath): GraphQLResolveInfo {
    let ofField = path;
    while (typeof ofField.key === 'number' && ofField.prev !== undefined) ofField = ofField.prev;
    return {
      fieldName: definition.name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType,
      path: ofField,
      schema: this.plan.schema,
      fragments: this.plan.fragments,
      rootValue: this.#rootValue,
      operation: this.plan.operation,
      variableValues: this.#variables,
    };
  }

  /** Counts the characters of a value. A short document can repeat one long text in many fields. */
  addSize(characters: number): void {
    this.#size += characters;
  }

  /** Returns the result. @throws ResultSizeError when it is larger than allowed. */
  toResult(data: ResponseObject | null): ExecutionResult {
    if (this.#size > this.#maxSize) throw new ResultSizeError(this.#maxSize);
    return this.#errors.length === 0 ? { data } : { errors: this.#errors, data };
  }

  /** Resolves the operation. Null when an error leaves no data. Never throws or rejects. */
  run(): ResponseObject | null | Promise<ResponseObject | null> {
    const fail = (error: unknown): null => {
      this.#addError(error as GraphQLError, undefined);
      return null;
    };
    try {
      const { root, operation } = this.plan;
      const isSerial = operation.operation === OperationTypeNode.MUTATION;
      const data = isSerial
        ? this.#resolveSerially(root)
        : this.resolveFields(root, this.#rootValue, undefined);
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
      return settle(object, pending).finally(() => Promise.reject(error));
    }
    return pending === null ? object : settle(object, pending);
  }

  /** Resolves the fields of a mutation, each after those before it have ended. */
  #resolveSerially(selection: Selection): ResponseObject | Promise<ResponseObject> {
    const object = new ResponseObject();
    const resolve = (field: FieldPlan): Promise<void> | undefined => {
      const value = this.#resolveField(field, this.#rootValue, undefined);
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
    const path = { prev: parentPath, key: field.responseName, typename: field.parentType.name };
    let value: unknown;
    try {
      const resolve = field.definition.resolve ?? this.#fieldResolver;
      value = resolve(source, this.#argumentsOf(field), this.context, this.infoAt(field, path));
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
    this.#addError(error, path);
    return null;
  }

  /** Adds the error that leaves null at a path, unless an earlier error has left null there or above. */
  #addError(error: GraphQLError, path: Path): void {
    if (this.#nulledPaths.size > 0)
      for (let position = path; ; position = position.prev) {
        if (this.#nulledPaths.has(position)) return;
        if (position === undefined) break;
      }
    this.#nulledPaths.add(path);
    this.#errors.push(error);
  }

  #argumentsOf(field: FieldPlan): ArgumentValues {
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
