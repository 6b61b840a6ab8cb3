// Orders the parts of a schema for readers. SDL, introspection, the explorer and the documentation keep this order.
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { naturalCompare } from 'graphql/jsutils/naturalCompare.js';
import { DescriptionError } from '../upstream/errors.ts';
import { actionOf, rowTypeOf } from './origin.ts';

type Field = GraphQLField<unknown, unknown>;

/** What identifies an object comes first. */
const IDENTITY = ['id', 'databaseId', 'label'];
const ROOTS = ['Query', 'Mutation', 'Subscription'];

/** Sorts by name. */
export const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number =>
  naturalCompare(a.name, b.name);

/**
 * Sorts the fields, arguments and values of a type: an object's identity, its values, its edges to one object, its lists. Roots keep
 * the fields of a resource together. Fields of internal resources come last. Names decide about the rest.
 * @param internal Dotted paths of internal resources.
 * @throws DescriptionError when the type has no fields.
 */
export function sortParts(type: GraphQLNamedType, internal: ReadonlySet<string>): void {
  if (isEnumType(type)) (type.getValues() as GraphQLEnumValue[]).sort(compareNames);
  const isOutput = isObjectType(type) || isInterfaceType(type);
  if (!isOutput && !isInputObjectType(type)) return;
  const fields: Record<string, Field | GraphQLInputField> = type.getFields();
  const isRoot = ROOTS.includes(type.name);
  const ranked = Object.values(fields).map((field) => ({
    name: field.name,
    field,
    rank: 'args' in field ? (isRoot ? 0 : rankOf(field)) + (isInternal(field, internal) ? 100 : 0) : 0,
  }));
  if (ranked.length === 0)
    throw new DescriptionError(`The type ${type.name} that the description gives has no fields.`);
  ranked.sort((a, b) => a.rank - b.rank || compareNames(a, b));
  for (const { name, field } of ranked) {
    if ('args' in field && field.args.length > 1) field.args = [...field.args].sort(compareNames);
    // An object lists its keys in the order in which they were added.
    delete fields[name];
    fields[name] = field;
  }
}

function rankOf(field: Field): number {
  const identity = IDENTITY.indexOf(field.name);
  if (isLeafType(getNamedType(field.type))) return identity === -1 ? IDENTITY.length : identity;
  return isListType(getNullableType(field.type)) || rowTypeOf(field) !== null ? 20 : 10;
}

function isInternal(field: Field, internal: ReadonlySet<string>): boolean {
  const action = internal.size === 0 ? null : actionOf(field);
  return action !== null && internal.has(action.resource.join('.'));
}
