// Applies the overrides of descriptions and deprecations to a schema.
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Overrides } from '../model/overrides.ts';
import type { Report } from '../model/report.ts';

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
