// Writes the documents of the explorer's first tabs.
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { rowTypeOf } from '../schema/row-type.ts';
import { createExampleQuery } from './example-query.ts';

/** The document of one tab. */
export interface ExampleTab {
  readonly query: string;
  /** JSON; null for none. */
  readonly variables: string | null;
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Documents that are valid in a schema: a list with edges, a write that starts a blocking action, a subscription to unfinished
 * actions, and a mutation that cancels an action. The ids of writes are null, so that GraphQL rejects a write until the user fills
 * in an id, and nobody changes an object by accident.
 */
export function createExampleTabs(schema: GraphQLSchema): readonly ExampleTab[] {
  const list = createExampleQuery(schema);
  const write = writeTab(schema);
  return [
    ...(list === null ? [] : [{ query: list, variables: null }]),
    ...(write === null ? [] : [write]),
    ...(schema.getSubscriptionType()?.getFields()['pendingActions'] === undefined ? [] : [PROGRESS_TAB]),
    ...(schema.getMutationType()?.getFields()['actionStateCancel'] === undefined ? [] : [CANCEL_TAB]),
  ];
}

const PROGRESS_TAB: ExampleTab = {
  query: `subscription Progress {
  pendingActions { id label outcome progress }
}
`,
  variables: null,
};

const CANCEL_TAB: ExampleTab = {
  query: `mutation Cancel($id: ID!) {
  ${instructionComment('id', 'pendingActions')}
  actionStateCancel(id: $id) {
    target { id outcome status }
    userErrors { code message }
  }
}
`,
  variables: emptyVariable('id'),
};

/** A blocking write whose only required argument is the id of an object from a root list; null for none. */
function writeTab(schema: GraphQLSchema): ExampleTab | null {
  const lists = listsByIdArgument(schema.getQueryType());
  for (const field of shortestNameFirst(Object.values(schema.getMutationType()?.getFields() ?? {}))) {
    const [parent, ...others] = field.args.filter(isRequiredArgument);
    const list = parent === undefined || others.length > 0 ? undefined : lists.get(parent.name);
    if (parent === undefined || list === undefined || !field.name.endsWith('Create') || !isBlocking(field))
      continue;
    return {
      query: `mutation Create($${parent.name}: ID!) {
  ${instructionComment(parent.name, list)}
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

function instructionComment(variable: string, source: string): string {
  return `# Variables: set "${variable}" to an id from ${source}.`;
}

function emptyVariable(name: string): string {
  return JSON.stringify({ [name]: null }, null, 2);
}

/** Sorts fields by the length of their name, because short names stand for common resources. */
function shortestNameFirst(fields: readonly Field[]): readonly Field[] {
  return [...fields].sort((a, b) => a.name.length - b.name.length);
}

function isBlocking({ args, type }: Field): boolean {
  const payload = getNamedType(type);
  return (
    args.some(({ name }) => name === 'wait') &&
    isObjectType(payload) &&
    payload.getFields()['actionState'] !== undefined
  );
}

/** Names of root lists without required arguments, by the name that writes give the id of their nodes. */
function listsByIdArgument(query: GraphQLObjectType | null | undefined): ReadonlyMap<string, string> {
  const lists = new Map<string, string>();
  for (const field of Object.values(query?.getFields() ?? {})) {
    const row = rowTypeOf(field);
    if (row === null || field.args.some(isRequiredArgument)) continue;
    lists.set(row.name.charAt(0).toLowerCase() + row.name.slice(1), field.name);
  }
  return lists;
}
