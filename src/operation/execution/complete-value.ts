// Turns the values that resolvers return into the values of the response.
import {
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Streamed } from '../incremental/part.ts';
import type { Execution } from './execution.ts';
import type { FieldPlan } from './operation-plan.ts';
import { Suspended } from './pauses.ts';
import { pathBelow } from './response.ts';

/**
 * Completes a value that a resolver has returned, or that its promise has resolved to.
 * @param path The path of the value in the response.
 * @returns The value of the response, or a promise of it where a part of the value is a promise.
 * @throws The error of the field.
 */
export type Complete = (
  execution: Execution,
  field: FieldPlan,
  path: ResponsePath,
  value: unknown,
) => unknown;

/** How the values of a type are completed. */
export interface Completion {
  readonly complete: Complete;
  readonly isNonNull: boolean;
}

/** Returns how the values of a type are completed. */
export function completionOf(type: GraphQLOutputType): Completion {
  if (!isNonNullType(type)) return { complete: unlessNull(completerOf(type)), isNonNull: false };
  const completeNullable = unlessNull(completerOf(type.ofType));
  const complete: Complete = (execution, field, path, value) => {
    const completed = completeNullable(execution, field, path, value);
    if (completed === null)
      throw new Error(`Cannot return null for non-nullable field ${coordinateOf(field)}.`);
    return completed;
  };
  return { complete, isNonNull: true };
}

const coordinateOf = ({ parentType, definition }: FieldPlan): string =>
  `${parentType.name}.${definition.name}`;

function unlessNull(complete: Complete): Complete {
  return (execution, field, path, value) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    return complete(execution, field, path, value);
  };
}

function completerOf(type: GraphQLOutputType): Complete {
  if (isLeafType(type)) return (_execution, _field, _path, value) => completeLeaf(type, value);
  if (isListType(type)) return completerOfList(type);
  if (isObjectType(type)) return completerOfObject(type);
  if (isAbstractType(type)) return completerOfAbstract(type);
  throw new TypeError(`expected the type of an output, not ${String(type)}`);
}

function completeLeaf(type: GraphQLLeafType, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized !== null && serialized !== undefined) return serialized;
  throw new Error(
    `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
  );
}

function completerOfList({ ofType }: GraphQLList<GraphQLOutputType>): Complete {
  const completion = completionOf(ofType);
  return (execution, field, path, value) => {
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${coordinateOf(field)}".`);
    return completeItems(new CompletedList(execution, field, completion, path, value));
  };
}

/** A list whose items are being completed. */
class CompletedList {
  readonly execution: Execution;
  readonly field: FieldPlan;
  readonly completion: Completion;
  readonly path: ResponsePath;
  readonly values: readonly unknown[];
  readonly streamed: Streamed | null;
  /** Index of the first value that is not completed. */
  next = 0;
  /** The completed items. */
  readonly items: unknown[] = [];
  /** Whether one of them comes later. */
  isPending = false;

  constructor(
    execution: Execution,
    field: FieldPlan,
    completion: Completion,
    path: ResponsePath,
    values: Iterable<unknown>,
  ) {
    this.execution = execution;
    this.field = field;
    this.completion = completion;
    this.path = path;
    this.values = Array.isArray(values) ? values : [...values];
    this.streamed = execution.part === null ? null : execution.part.stream(field, completion, path);
  }
}

/** Completes the items that are not completed yet. Returns all items, or a promise of them; `Suspended` in a pause. */
function completeItems(list: CompletedList): unknown {
  const { execution, field, completion, path, values, streamed, items } = list;
  const { pauses } = execution;
  try {
    for (let index = list.next; index < values.length; index += 1) {
      const paused = pauses.next();
      if (paused !== undefined) return suspendItems(list, index, paused);
      if (streamed !== null && index >= streamed.initialCount) {
        streamed.add(values[index]);
        continue;
      }
      const itemPath = pathBelow(path, index, undefined);
      const completed = execution.complete(field, completion, itemPath, values[index]);
      if (completed instanceof Promise) {
        if (completed instanceof Suspended) return resumeItems(list, index, completed);
        list.isPending = true;
      }
      items.push(completed);
    }
  } catch (error) {
    return abandonItems(items, error);
  }
  return list.isPending ? Promise.all(items) : items;
}

function suspendItems(list: CompletedList, index: number, paused: Promise<void>): Suspended {
  list.next = index;
  return list.execution.pauses.suspend(paused, () => completeItems(list));
}

function resumeItems(list: CompletedList, index: number, completed: Suspended): Suspended {
  const { items } = list;
  list.next = index + 1;
  const goOn = (item: unknown): unknown => {
    items.push(item);
    if (item instanceof Promise) list.isPending = true;
    return completeItems(list);
  };
  return completed.resume(goOn, (error) => abandonItems(items, error));
}

/** Ends a list by the error of an item. The rejections of the others are handled here: nobody else waits for them. */
function abandonItems(items: readonly unknown[], error: unknown): never {
  void Promise.allSettled(items);
  throw error;
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Symbol.iterator in value &&
  typeof value[Symbol.iterator] === 'function';

function completerOfObject(type: GraphQLObjectType): Complete {
  return (execution, field, path, value) => completeObject(type, execution, field, path, value);
}

function completeObject(
  type: GraphQLObjectType,
  execution: Execution,
  field: FieldPlan,
  path: ResponsePath,
  value: unknown,
): unknown {
  const selection = execution.plan.selectionBelow(field, type);
  if (!type.isTypeOf) return execution.resolveFields(selection, value, path);
  const isOfType = type.isTypeOf(value, execution.context, execution.infoAt(field, path));
  const resolveFields = (isMatch: boolean) => {
    if (isMatch) return execution.resolveFields(selection, value, path);
    throw new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, {
      nodes: field.nodes,
    });
  };
  if (!isPromiseLike(isOfType)) return resolveFields(isOfType);
  return execution.pauses.beginWith(isOfType, resolveFields);
}

function completerOfAbstract(type: GraphQLAbstractType): Complete {
  return (execution, field, path, value) => {
    const resolveType = type.resolveType ?? execution.typeResolver;
    const name: unknown = resolveType(value, execution.context, execution.infoAt(field, path), type);
    const completeAs = (typeName: unknown) =>
      completeObject(runtimeTypeOf(type, typeName, execution, field), execution, field, path, value);
    if (!isPromiseLike(name)) return completeAs(name);
    return execution.pauses.beginWith(name, completeAs);
  };
}

/** @throws GraphQLError when the name is not that of an object type that the abstract type includes. */
function runtimeTypeOf(
  type: GraphQLAbstractType,
  name: unknown,
  { plan: { schema } }: Execution,
  field: FieldPlan,
): GraphQLObjectType {
  const found = typeof name === 'string' ? schema.getType(name) : undefined;
  if (isObjectType(found) && schema.isSubType(type, found)) return found;
  throw new GraphQLError(
    `The value of ${coordinateOf(field)} is of ${inspect(name)}, which is no object type of ${type.name}.`,
    { nodes: field.nodes },
  );
}

/** Whether a value is a promise of any kind. */
export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
