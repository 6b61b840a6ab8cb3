// Writes an example document for a field of the schema.
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  parse,
  print,
} from 'graphql';
import { type ExampleTab, resourceOf, rowTypeOf } from '../../../../src/index.ts';
import type { Catalog, Field, FieldPlace } from '../catalog/catalog.ts';
import { exampleValue } from './example-value.ts';
import { associationFields, capitalize, leafNames, lowerFirst } from './selection.ts';

/** Selects something of what the head stands for. */
const select = (head: string, selected: string | readonly string[]): string =>
  `${head} { ${typeof selected === 'string' ? selected : selected.join(' ')} }`;

/** The id of an object, which may or may not exist. */
const EXAMPLE_ID = '1';

/** The variables of a document, with their types and example values. */
type Variables = Map<string, { readonly type: string; readonly value: unknown }>;

/**
 * Writes a document that selects a field. Null where no query leads to the objects that have the field.
 * @param isNextPage Whether it asks for a page after another.
 */
export function createExample(
  { schema }: Pick<Catalog, 'schema'>,
  place: FieldPlace,
  isNextPage = false,
): ExampleTab | null {
  const { type, field } = place;
  const operation = operationOf(schema, type);
  const variables: Variables = new Map();
  const isWanted = (argument: GraphQLArgument): boolean =>
    isRequiredArgument(argument) || argument.name === 'input' || (isNextPage && argument.name === 'after');
  const selected = selectField(field, variables, exampleIdOf(schema, place), isWanted);
  const root = operation === null ? selectOnObject(schema, type, selected, variables) : selected;
  if (root === null) return null;
  const declared = [...variables].map(([name, variable]) => `$${name}: ${variable.type}`).join(', ');
  const head = `${operation ?? 'query'} ${capitalize(field.name)}${declared === '' ? '' : `(${declared})`}`;
  const values = Object.fromEntries([...variables].map(([variable, { value }]) => [variable, value]));
  return {
    query: `${print(parse(select(head, root)))}\n`,
    variables: variables.size === 0 ? null : JSON.stringify(values, null, 2),
  };
}

function operationOf(schema: GraphQLSchema, type: FieldPlace['type']): string | null {
  if (type === schema.getQueryType()) return 'query';
  if (type === schema.getMutationType()) return 'mutation';
  return type === schema.getSubscriptionType() ? 'subscription' : null;
}

/** The id that a field takes. That of a write is null, which GraphQL rejects, so that nobody changes an object by accident. */
function exampleIdOf(schema: GraphQLSchema, { type, field }: FieldPlace): string | null {
  if (type === schema.getMutationType()) return null;
  const given = getNamedType(field.type);
  const [first] = isInterfaceType(given) ? schema.getPossibleTypes(given) : [];
  return globalId((first && resourceOf(first)) ?? []) || EXAMPLE_ID;
}

const globalId = (path: readonly string[]): string => path.map((name) => `${name}/${EXAMPLE_ID}`).join('/');

/** Selects a field of an object, which is found by its id. */
function selectOnObject(
  schema: GraphQLSchema,
  type: FieldPlace['type'],
  selected: string,
  variables: Variables,
): string | null {
  const name = `${lowerFirst(type.name)}Id`;
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const show = queries.find(
    (one) => one.type === type && one.args.every((argument) => argument.name === 'id'),
  );
  if (show?.args.length === 0) return select(show.name, selected);
  if (show !== undefined) {
    variables.set(name, { type: 'ID!', value: EXAMPLE_ID });
    return select(`${show.name}(id: $${name})`, selected);
  }
  const path = resourceOf(type);
  const hasGlobalId = type.getInterfaces().some((one) => one.name === 'Node');
  if (path === null || !hasGlobalId) return null;
  variables.set(name, { type: 'ID!', value: globalId(path) });
  return select(`node(id: $${name})`, select(`... on ${type.name}`, selected));
}

/** Selects a field, with a variable for each argument that it needs. */
function selectField(
  field: Field,
  variables: Variables,
  id: string | null,
  isWanted: (argument: GraphQLArgument) => boolean,
): string {
  const row = rowTypeOf(field);
  const given = field.args.flatMap((argument) => {
    if (argument.name === 'first' && row !== null) return ['first: 5'];
    if (argument.name === 'wait') return ['wait: 10'];
    if (!isWanted(argument)) return [];
    variables.set(argument.name, { type: String(argument.type), value: exampleValue(argument, id) });
    return [`${argument.name}: $${argument.name}`];
  });
  const head = `${field.name}${given.length === 0 ? '' : `(${given.join(', ')})`}`;
  if (row !== null)
    return select(head, [select('nodes', selectRow(row)), select('pageInfo', 'hasNextPage endCursor')]);
  const type = getNamedType(field.type);
  if (isObjectType(type)) return select(head, isPayload(type) ? selectPayload(type) : selectRow(type));
  return isInterfaceType(type) ? select(head, 'id __typename') : head;
}

const isPayload = (type: GraphQLObjectType): boolean =>
  getNamedType(type.getFields()['userErrors']?.type)?.name === 'UserError';

/** Selects values and associations of an object. */
function selectRow(type: GraphQLObjectType): readonly string[] {
  const leaves = selectLeaves(type, 4);
  const associations = type.name in TELLING ? [] : associationFields(type).slice(0, 2);
  return [...leaves, ...associations.map((one) => select(one.name, selectLeaves(getNamedType(one.type), 0)))];
}

/** Selects the outcome of a write: what it gives, its action, and why it was refused. */
const selectPayload = (type: GraphQLObjectType): readonly string[] =>
  Object.values(type.getFields())
    .filter((one) => !one.deprecationReason && one.name !== 'query')
    .map((one) => {
      const named = getNamedType(one.type);
      return isObjectType(named) ? select(one.name, selectLeaves(named, 2)) : one.name;
    });

/** Selects values of an object: those that say most, or else `more` besides its id and label. */
function selectLeaves(type: GraphQLNamedType, more: number): readonly string[] {
  const object = isObjectType(type) ? type : null;
  const telling = (TELLING[type.name] ?? []).filter((name) => name in (object?.getFields() ?? {}));
  return telling.length > 0 ? telling : leafNames(object, more);
}

/** The fields that say most about types that every schema has. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  ActionState: ['id', 'label', 'outcome', 'progress'],
  UserError: ['code', 'message', 'path'],
};
