// Writes an example document for a field of the schema.
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { associationFields, leafNames } from '../explorer/example-query.ts';
import type { ExampleTab } from '../explorer/example-tabs.ts';
import { rowTypeOf } from '../schema/row-type.ts';
import type { Field, FieldPlace } from './catalog.ts';
import { exampleValue } from './example-value.ts';

/** A selected field and what is selected of it, as the lines of a document. */
type Lines = readonly string[];

const indent = (lines: Lines): Lines => lines.map((line) => `  ${line}`);
const block = (head: string, lines: Lines): Lines => [`${head} {`, ...indent(lines), '}'];

/** Writes a document that selects a field. Null where no query leads to the objects that have the field. */
export function createExample(schema: GraphQLSchema, place: FieldPlace): ExampleTab | null {
  const { type, field } = place;
  const variables = new Map<string, GraphQLArgument>();
  const selected = selectField(field, variables);
  const operation = operationOf(schema, type);
  const lines = operation === null ? wrap(schema, type, selected, variables) : selected;
  if (lines === null) return null;
  const declared = [...variables].map(([name, { type: given }]) => `$${name}: ${given}`).join(', ');
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1);
  const head = `${operation ?? 'query'} ${name}${declared === '' ? '' : `(${declared})`}`;
  const values = [...variables].map(([variable, argument]) => [variable, exampleValue(argument)] as const);
  return {
    query: `${block(head, lines).join('\n')}\n`,
    variables: values.length === 0 ? null : JSON.stringify(Object.fromEntries(values), null, 2),
  };
}

function operationOf(schema: GraphQLSchema, type: FieldPlace['type']): string | null {
  if (type === schema.getQueryType()) return 'query';
  if (type === schema.getMutationType()) return 'mutation';
  return type === schema.getSubscriptionType() ? 'subscription' : null;
}

/** Selects an object that has a field by its id. */
function wrap(
  schema: GraphQLSchema,
  type: FieldPlace['type'],
  selected: Lines,
  variables: Map<string, GraphQLArgument>,
): Lines | null {
  const name = `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}Id`;
  const query = Object.values(schema.getQueryType()?.getFields() ?? {});
  const show = query.find(
    ({ type: given, args }) => given === type && args.every((one) => one.name === 'id'),
  );
  if (show !== undefined) {
    const [id] = show.args;
    if (id === undefined) return block(show.name, selected);
    variables.set(name, id);
    return block(`${show.name}(id: $${name})`, selected);
  }
  const [id] = query.find((one) => one.name === 'node')?.args ?? [];
  if (id === undefined || !type.getInterfaces().some((one) => one.name === 'Node')) return null;
  variables.set(name, id);
  return block(`node(id: $${name})`, block(`... on ${type.name}`, selected));
}

/** Selects a field, with a variable for each argument that it needs. */
function selectField(field: Field, variables: Map<string, GraphQLArgument>): Lines {
  const row = rowTypeOf(field);
  const given = field.args.flatMap((argument) => {
    if (argument.name === 'first' && row !== null) return ['first: 5'];
    if (argument.name === 'wait') return ['wait: 10'];
    const isInput = isInputObjectType(getNullableType(argument.type)) && argument.name === 'input';
    if (!isRequiredArgument(argument) && !isInput) return [];
    variables.set(argument.name, argument);
    return [`${argument.name}: $${argument.name}`];
  });
  const head = `${field.name}${given.length === 0 ? '' : `(${given.join(', ')})`}`;
  if (row !== null)
    return block(head, [...block('nodes', selectRow(row)), 'pageInfo { hasNextPage endCursor }']);
  const type = getNamedType(field.type);
  if (isObjectType(type)) return block(head, isPayload(type) ? selectPayload(type) : selectRow(type));
  // What remains are interfaces and leaves.
  return 'getFields' in type && !isInputObjectType(type) ? block(head, ['id', '__typename']) : [head];
}

const isPayload = (type: GraphQLObjectType): boolean => type.getFields()['userErrors'] !== undefined;

/** Selects values and associations of an object. */
function selectRow(type: GraphQLObjectType): Lines {
  const associations = associationFields(type).slice(0, 2);
  const lines = [
    ...leafNames(type, 4),
    ...associations.map((one) => `${one.name} { ${selectLeaves(getNamedType(one.type), 0)} }`),
  ];
  return lines.length === 0 ? ['__typename'] : lines;
}

/** Selects the outcome of a write: what it gives, its action, and why it was refused. */
function selectPayload(type: GraphQLObjectType): Lines {
  const fields = Object.values(type.getFields()).filter(
    (one) => !one.deprecationReason && one.name !== 'query',
  );
  return fields.flatMap((one) => {
    const named = getNamedType(one.type);
    if (!isObjectType(named)) return [one.name];
    if (one.name === 'userErrors') return ['userErrors { code message path }'];
    if (one.name === 'actionState') return ['actionState { id outcome progress }'];
    return [`${one.name} { ${selectLeaves(named, 2)} }`];
  });
}

const selectLeaves = (type: GraphQLNamedType, more: number): string =>
  (isObjectType(type) ? leafNames(type, more).join(' ') : '') || '__typename';
