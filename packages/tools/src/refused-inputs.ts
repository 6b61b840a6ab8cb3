// Selects the path of each refused input where a mutation does not, so that messages name the input.
import {
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { isObject } from '../../../src/upstream/json.ts';
import type { GivenRequest } from './request.ts';

const PATH = 'optiongraphPath';

/** The paths of refused inputs by the user errors of results. */
const paths = new WeakMap<object, unknown>();

/** Adds the paths to the user errors of a mutation. The lines of its text stay, to which errors refer. */
export function selectRefusedInputs(request: GivenRequest, schema: GraphQLSchema): GivenRequest {
  const starts: number[] = [];
  const types = new TypeInfo(schema);
  const visitor = {
    Field({ name, selectionSet }: FieldNode): void {
      const type = getNamedType(types.getType());
      const hasPath = isObjectType(type) && type.getFields()['path'] !== undefined;
      const start = selectionSet?.loc?.start;
      if (name.value === 'userErrors' && hasPath && start !== undefined) starts.push(start + 1);
    },
  };
  visit(request.document, visitWithTypeInfo(types, visitor));
  const source = starts
    .toReversed()
    .reduce((text, start) => `${text.slice(0, start)} ${PATH}: path ${text.slice(start)}`, request.source);
  return { ...request, source };
}

/** Takes the added paths out of a result, and keeps them for `inputOf`. */
export function takeRefusedInputs(result: ExecutionResult): ExecutionResult {
  for (const payload of Object.values(result.data ?? {})) {
    const refusals = isObject(payload) ? payload['userErrors'] : null;
    for (const refusal of Array.isArray(refusals) ? refusals : []) {
      paths.set(refusal, refusal[PATH]);
      delete refusal[PATH];
    }
  }
  return result;
}

/** The names that lead to the input of a user error; empty where it belongs to none, or the path was not selected. */
export function inputOf(refusal: unknown): readonly unknown[] {
  const path = isObject(refusal) ? (refusal['path'] ?? paths.get(refusal)) : null;
  return Array.isArray(path) ? path : [];
}
