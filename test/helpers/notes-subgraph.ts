// Serves a second subgraph: notes about the users and actions of a management API.
import { makeExecutableSchema } from '@graphql-tools/schema';
import { createYoga } from 'graphql-yoga';
import { listen } from './plain-server.ts';

/** The SDL of the subgraph. */
export const NOTES = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  scalar DateTime

  type Query { notes: [Note!]! }
  type Note @key(fields: "id") { id: ID! text: String! author: User! at: DateTime! page: PageInfo! }
  type User @key(fields: "id") { id: ID! notes: [Note!]! }
  type ActionState @key(fields: "id") { id: ID! remark: String }
  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
`;
const FOR_ROUTERS = `
  scalar _Any
  union _Entity = Note | User | ActionState
  extend type Query { _entities(representations: [_Any!]!): [_Entity]! }
`;

/** A reference to an object of any subgraph. */
interface Representation {
  readonly __typename: string;
  readonly id: string;
}

/** A running subgraph. */
export interface NotesSubgraph extends AsyncDisposable {
  readonly url: string;
  /** The representations of each call of `_entities`. */
  readonly batches: (readonly Representation[])[];
}

/** Starts the subgraph with one note for each of the authors, on a free port. */
export async function startNotes(authors: readonly string[]): Promise<NotesSubgraph> {
  const batches: (readonly Representation[])[] = [];
  const page = { hasNextPage: false, hasPreviousPage: false };
  const notes = authors.map((id, index) => ({
    id: `note/${index + 1}`,
    text: `note of ${id}`,
    author: { id },
    at: '2026-01-31T10:20:30Z',
    page,
  }));
  const schema = makeExecutableSchema({
    assumeValid: true,
    assumeValidSDL: true,
    typeDefs: NOTES + FOR_ROUTERS,
    resolvers: {
      Query: {
        notes: () => notes,
        _entities: (_root, { representations }: { representations: readonly Representation[] }) => {
          batches.push(representations);
          return representations;
        },
      },
      _Entity: { __resolveType: ({ __typename }: Representation) => __typename },
      User: { notes: ({ id }: Representation) => notes.filter(({ author }) => author.id === id) },
      ActionState: { remark: ({ id }: Representation) => `remark on ${id}` },
    },
  });
  const server = await listen(createYoga({ schema, logging: false }));
  return {
    url: `${server.url}graphql`,
    batches,
    [Symbol.asyncDispose]: server.close,
  };
}
