// The schema and resolvers of the hand-written GraphQL servers.
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLResolveInfo } from 'graphql';
import type { Upstream, UpstreamRow } from './upstream.ts';

const typeDefs = /* GraphQL */ `
  type Query {
    dataset(id: ID!): Dataset
    datasets(first: Int!): DatasetConnection
  }
  type DatasetConnection { nodes: [Dataset]! }
  type Dataset {
    id: ID!
    name: String
    used: Float
    quota: Float
    compression: Boolean
    createdAt: String
    user: User
    environment: Environment
    parent: Dataset
    snapshots(first: Int!): SnapshotConnection
  }
  type SnapshotConnection { nodes: [Snapshot]! }
  type Snapshot { id: ID! name: String createdAt: String }
  type User { id: ID! label: String login: String fullName: String level: Float }
  type Environment { id: ID! label: String }
`;

/** A snapshot, with the dataset that its global id names. */
interface SnapshotRow extends UpstreamRow {
  readonly dataset: number;
}

const REFERENCE_FIELDS = new Set(['id', 'label', '__typename']);

/** Whether a selection needs no more than a reference holds, which saves the call for the complete object. */
function isReferenceEnough({ fieldNodes }: GraphQLResolveInfo): boolean {
  return fieldNodes.every(({ selectionSet }) =>
    selectionSet?.selections.every(
      (selection) => selection.kind === 'Field' && REFERENCE_FIELDS.has(selection.name.value),
    ),
  );
}

const resolvers = {
  Query: {
    dataset: (_root: unknown, { id }: { readonly id: string }, { datasets }: Upstream) =>
      datasets.load(Number(id)),
    datasets: async (_root: unknown, { first }: { readonly first: number }, { listDatasets }: Upstream) => ({
      nodes: await listDatasets(first, 0),
    }),
  },
  Dataset: {
    id: ({ id }: UpstreamRow) => `dataset/${id}`,
    createdAt: (row: UpstreamRow) => row['created_at'],
    user: (row: UpstreamRow, _args: unknown, { users }: Upstream, info: GraphQLResolveInfo) => {
      const user = row['user'] as UpstreamRow | null;
      return user === null || isReferenceEnough(info) ? user : users.load(user.id);
    },
    parent: (row: UpstreamRow, _args: unknown, { datasets }: Upstream) => {
      const parent = row['parent'] as UpstreamRow | null;
      return parent && datasets.load(parent.id);
    },
    snapshots: async (
      { id }: UpstreamRow,
      { first }: { readonly first: number },
      { listSnapshots }: Upstream,
    ) => ({ nodes: (await listSnapshots(id, first)).map((row): SnapshotRow => ({ ...row, dataset: id })) }),
  },
  Snapshot: {
    id: ({ id, dataset }: SnapshotRow) => `dataset/${dataset}/snapshot/${id}`,
    createdAt: (row: SnapshotRow) => row['created_at'],
  },
  User: {
    id: ({ id }: UpstreamRow) => `user/${id}`,
    label: (row: UpstreamRow) => row['login'],
    fullName: (row: UpstreamRow) => row['full_name'],
  },
  Environment: { id: ({ id }: UpstreamRow) => `environment/${id}` },
};

export const schema = makeExecutableSchema({ typeDefs, resolvers });
