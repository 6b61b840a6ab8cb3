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
import type { Execution } from './execute.ts';
import type { FieldPlan } from './operation-plan.ts';

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
  if (isLeafType(type)) return (execution, _field, _path, value) => completeLeaf(type, value, execution);
  if (isListType(type)) return completerOfList(type);
  if (isObjectType(type))
    return (execution, field, path, value) => completeObject(type, execution, field, path, value);
  if (isAbstractType(type)) return completerOfAbstract(type);
  throw new TypeError(`expected the type of an output, not ${String(type)}`);
}

function completeLeaf(type: GraphQLLeafType, value: unknown, execution: Execution): unknown {
  const serialized: unknown = type.serialize(value);
  if (typeof serialized === 'string') execution.addSize(serialized.length);
  else if (typeof serialized !== 'number' && typeof serialized !== 'boolean')
    execution.addSize(jsonLengthOf(type, value, serialized));
  return serialized;
}

/** Returns the length of a value as JSON. @throws when there is no value, or one that JSON cannot hold, such as a BigInt or a cycle. */
function jsonLengthOf(type: GraphQLLeafType, value: unknown, serialized: unknown): number {
  if (serialized === null || serialized === undefined)
    throw new Error(
      `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
    );
  const json = JSON.stringify(serialized);
  if (json === undefined) throw new Error(`${inspect(type)} has a value that JSON cannot hold.`);
  return json.length;
}

function completerOfList({ ofType }: GraphQLList<GraphQLOutputType>): Complete {
  const completion = completionOf(ofType);
  return (execution, field, path, value) => {
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${coordinateOf(field)}".`);
    const items: unknown[] = [];
    let isPending = false;
    try {
      for (const item of value) {
        const itemPath = { prev: path, key: items.length, typename: undefined };
        const completed = execution.complete(field, completion, itemPath, item);
        isPending ||= completed instanceof Promise;
        items.push(completed);
      }
    } catch (error) {
      // Nobody else waits for the other items.
      void Promise.allSettled(items);
      throw error;
    }
    return isPending ? Promise.all(items) : items;
  };
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Symbol.iterator in value &&
  typeof value[Symbol.iterator] === 'function';

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
  return Promise.resolve(isOfType).then(resolveFields);
}

function completerOfAbstract(type: GraphQLAbstractType): Complete {
  return (execution, field, path, value) => {
    const resolveType = type.resolveType ?? execution.typeResolver;
    const name: unknown = resolveType(value, execution.context, execution.infoAt(field, path), type);
    const completeAs = (typeName: unknown) =>
      completeObject(runtimeTypeOf(type, typeName, execution, field), execution, field, path, value);
    if (!isPromiseLike(name)) return completeAs(name);
    return Promise.resolve(name).then(completeAs);
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
