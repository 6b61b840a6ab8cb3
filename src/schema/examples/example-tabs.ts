// Writes the documents of the explorer's first tabs.
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { lowerFirst } from '../names/naming.ts';
import { rowTypeOf } from '../origin.ts';
import { createExampleQuery } from './example-query.ts';

/** The document of one tab. */
export interface ExampleTab {
  readonly query: string;
  /** JSON; null for none. */
  readonly variables: string | null;
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Documents that are valid in a schema: a list with edges, a write that starts a blocking action, and, for callers who can start
 * actions, a subscription to those that are running and a mutation that cancels one. The ids of writes are null, so that GraphQL
 * rejects a write until the user fills in an id, and nobody changes an object by accident.
 */
export function createExampleTabs(schema: GraphQLSchema): readonly ExampleTab[] {
  const list = createExampleQuery(schema);
  const write = writeTab(schema);
  const canStart = mutationsOf(schema).some((field) => field.name !== CANCEL && isBlocking(field));
  const canFollow = schema.getSubscriptionType()?.getFields()['pendingActions'] !== undefined;
  return [
    list === null ? NO_LIST_TAB : { query: list, variables: null },
    ...(write === null ? [] : [write]),
    ...(canStart && canFollow ? [PROGRESS_TAB] : []),
    ...(canStart && mutationsOf(schema).some(({ name }) => name === CANCEL) ? [CANCEL_TAB] : []),
  ];
}

const mutationsOf = (schema: GraphQLSchema): readonly Field[] =>
  Object.values(schema.getMutationType()?.getFields() ?? {});

const CANCEL = 'actionStateCancel';

const NO_LIST_TAB: ExampleTab = {
  query: `query Example {
  # The API offers you no lists.
  # Sign in to see what you may read.
  session {
    authenticated
  }
}
`,
  variables: null,
};

const PROGRESS_TAB: ExampleTab = {
  query: `subscription Progress {
  pendingActions {
    id
    label
    outcome
    progress
  }
}
`,
  variables: null,
};

const CANCEL_TAB: ExampleTab = {
  query: `mutation Cancel($id: ID!) {
  ${instructionComment('id', 'pendingActions')}
  ${CANCEL}(id: $id) {
    target {
      id
      outcome
      status
    }
    userErrors {
      code
      message
    }
  }
}
`,
  variables: emptyVariable('id'),
};

/** A blocking write whose only required argument is the id of an object from a root list; null for none. */
function writeTab(schema: GraphQLSchema): ExampleTab | null {
  const lists = listsByIdArgument(schema.getQueryType());
  for (const field of shortestNameFirst(mutationsOf(schema))) {
    const [parent, ...others] = field.args.filter(isRequiredArgument);
    const list = parent === undefined || others.length > 0 ? undefined : lists.get(parent.name);
    if (parent === undefined || list === undefined || !field.name.endsWith('Create') || !isBlocking(field))
      continue;
    return {
      query: `mutation Create($${parent.name}: ID!) {
  ${instructionComment(parent.name, list)}
  ${field.name}(${parent.name}: $${parent.name}, wait: 2) {
    actionState {
      id
      outcome
      progress
    }
    userErrors {
      code
      message
      path
    }
  }
}
`,
      variables: emptyVariable(parent.name),
    };
  }
  return null;
}

function instructionComment(variable: string, source: string): string {
  return `# Below, in Variables, set "${variable}"
  # to an id from ${source}.`;
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
    lists.set(lowerFirst(row.name), field.name);
  }
  return lists;
}
