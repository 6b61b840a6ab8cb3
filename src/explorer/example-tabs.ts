import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { createExampleQuery } from './example-query.ts';

/** A document to begin with, for one tab of the explorer. */
export interface ExampleTab {
  readonly query: string;
  /** As JSON; null for none. */
  readonly variables: string | null;
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Documents that are valid in a schema: a list with its edges, a write that begins a blocking action, the stream of unfinished
 * actions, and the cancelling of an action. The ids of writes are null: GraphQL refuses to execute one until somebody fills it
 * in, so nobody changes an object by accident.
 */
export function createExampleTabs(schema: GraphQLSchema): readonly ExampleTab[] {
  const list = createExampleQuery(schema);
  const write = writeTab(schema);
  return [
    ...(list === null ? [] : [{ query: list, variables: null }]),
    ...(write === null ? [] : [write]),
    ...(schema.getSubscriptionType()?.getFields()['pendingActions'] === undefined ? [] : [PROGRESS]),
    ...(schema.getMutationType()?.getFields()['actionStateCancel'] === undefined ? [] : [CANCEL]),
  ];
}

const PROGRESS: ExampleTab = {
  query: `subscription Progress {
  pendingActions { id label outcome progress }
}
`,
  variables: null,
};

const CANCEL: ExampleTab = {
  query: `mutation Cancel($id: ID!) {
  ${fillIn('id', 'pendingActions')}
  actionStateCancel(id: $id) {
    target { id outcome status }
    userErrors { code message }
  }
}
`,
  variables: emptyVariable('id'),
};

/** A blocking write that takes nothing but the id of an object that some list has. */
function writeTab(schema: GraphQLSchema): ExampleTab | null {
  const lists = listsByRow(schema.getQueryType());
  for (const field of plainestFirst(Object.values(schema.getMutationType()?.getFields() ?? {}))) {
    const [parent, ...others] = field.args.filter(isRequiredArgument);
    const list = parent === undefined || others.length > 0 ? undefined : lists.get(parent.name);
    if (parent === undefined || list === undefined || !field.name.endsWith('Create') || !blocks(field))
      continue;
    return {
      query: `mutation Create($${parent.name}: ID!) {
  ${fillIn(parent.name, list)}
  ${field.name}(${parent.name}: $${parent.name}, wait: 2) {
    actionState { id outcome progress }
    userErrors { code message path }
  }
}
`,
      variables: emptyVariable(parent.name),
    };
  }
  return null;
}

function fillIn(variable: string, source: string): string {
  return `# Variables: set "${variable}" to an id from ${source}.`;
}

function emptyVariable(name: string): string {
  return JSON.stringify({ [name]: null }, null, 2);
}

/** The shorter a name, the less special is what it is about; the schema itself is in the order of names. */
function plainestFirst(fields: readonly Field[]): readonly Field[] {
  return [...fields].sort((a, b) => a.name.length - b.name.length);
}

function blocks({ args, type }: Field): boolean {
  const payload = getNamedType(type);
  return (
    args.some(({ name }) => name === 'wait') &&
    isObjectType(payload) &&
    payload.getFields()['actionState'] !== undefined
  );
}

/** Root lists that need no argument, by what an id of their rows is called in a write. */
function listsByRow(query: GraphQLObjectType | null | undefined): ReadonlyMap<string, string> {
  const lists = new Map<string, string>();
  for (const field of Object.values(query?.getFields() ?? {})) {
    const connection = getNamedType(field.type);
    const nodes = isObjectType(connection) ? connection.getFields()['nodes'] : undefined;
    if (nodes === undefined || field.args.some(isRequiredArgument)) continue;
    const row = getNamedType(nodes.type).name;
    lists.set(row.charAt(0).toLowerCase() + row.slice(1), field.name);
  }
  return lists;
}
