// Completes the descriptions of a schema: a sentence about the objects of each resource's type, and the texts of the overrides.
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { pathKey } from '../model/model.ts';
import type { Overrides } from '../model/overrides.ts';
import type { Report } from '../model/report.ts';
import { capitalize, listNameOf, lowerFirst } from '../names/naming.ts';
import { readOrigin } from '../origin.ts';
import { codeOf, paragraphs, wordsFor } from './descriptions.ts';

/** The type and the name of the field that calls an action. */
interface ActionField {
  readonly type: string;
  readonly name: string;
}

/** The fields of the actions of a schema by scope, without those that list objects by a filter. */
export type ActionFields = Map<string, ActionField>;

/** Begins the descriptions of the types of a schema's resources with a sentence about their objects. */
export function describeTypes(schema: GraphQLSchema, fields: ActionFields): void {
  const fieldOf = (path: readonly string[], action: string): ActionField | null => {
    const field = fields.get(`${pathKey(path)}#${action}`);
    const type = schema.getType(field?.type ?? '');
    return field !== undefined && isObjectType(type) && field.name in type.getFields() ? field : null;
  };
  for (const type of Object.values(schema.getTypeMap())) {
    const { resource: path, text = '' } = readOrigin(type);
    if (path === undefined) continue;
    const sentence = describeObjects(path, type, text, fieldOf(path, 'index'), fieldOf(path, 'create'));
    type.description = paragraphs([sentence, text]);
  }
}

/** The sound with which a word begins that takes `an`. A user, a unit and a utility begin with a consonant. */
const VOWEL = /^(?:[aeio]|u(?!s|ni|t))/i;

function describeObjects(
  path: readonly string[],
  type: GraphQLNamedType,
  own: string,
  list: ActionField | null,
  create: ActionField | null,
): string {
  const words = wordsFor(path.join('_'), own);
  const facts = [
    ...(list === null ? [] : [`listed by ${coordinateOf(list)}`]),
    ...(create === null ? [] : [`created by ${coordinateOf(create)}`]),
  ];
  const isOne = facts.length === 0 && isObjectType(type) && !('databaseId' in type.getFields());
  // What has no plural has no article.
  const isPlural = list?.name === listNameOf(lowerFirst(type.name), lowerFirst(type.name));
  const article = isOne ? 'The ' : isPlural ? '' : VOWEL.test(words) ? 'An ' : 'A ';
  const subject = capitalize(`${article}${words}`);
  return `${[subject, ...(facts.length === 0 ? [] : [facts.join(' and ')])].join(', ')}.`;
}

const coordinateOf = ({ type, name }: ActionField): string => codeOf(`${type}.${name}`);

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;

/** Sets the texts of the overrides. @param report Null: the schema of a caller, which may lack what the overrides name. */
export function applyTexts(
  schema: GraphQLSchema,
  { descriptions = {}, deprecated = {} }: Overrides,
  report: Report | null,
): void {
  for (const [coordinate, text] of Object.entries(descriptions)) {
    const element = coordinate.includes('.') ? memberAt(schema, coordinate) : schema.getType(coordinate);
    if (element !== undefined) element.description = text;
    else
      report?.add('OVERRIDE_UNUSABLE', `descriptions.${coordinate}`, 'the schema has no such type or field');
  }
  for (const [coordinate, reason] of Object.entries(deprecated)) {
    const member = memberAt(schema, coordinate);
    if (member === undefined)
      report?.add('OVERRIDE_UNUSABLE', `deprecated.${coordinate}`, 'the schema has no such field');
    // GraphQL does not allow a required input to be deprecated.
    else if ('type' in member && !('args' in member) && isNonNullType(member.type))
      report?.add('OVERRIDE_UNUSABLE', `deprecated.${coordinate}`, 'a required input cannot be deprecated');
    else member.deprecationReason = reason;
  }
}

function memberAt(schema: GraphQLSchema, coordinate: string): Member | undefined {
  const [typeName = '', name = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  if (isEnumType(type)) return type.getValue(name) ?? undefined;
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return undefined;
  return type.getFields()[name];
}
