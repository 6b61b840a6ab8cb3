/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** The possible outcomes of an action. */
export type ActionOutcome =
  /** The action finished with a failure. */
  | 'FAILED'
  /** The action is queued, running or being rolled back. */
  | 'RUNNING'
  /** The action finished successfully. */
  | 'SUCCEEDED';

/** The values of `action_state.order` that the API describes. */
export type ActionStateOrder =
  | 'NEWEST'
  | 'OLDEST';

/** The values of `dataset_expansion.state` that the API describes. */
export type DatasetExpansionState =
  | 'ACTIVE'
  | 'RESOLVED';

/** Filters for `dataset#index`. Omitted fields are not sent to the API. */
export type DatasetFilter = {
  /**
   * Subtree
   *
   * Refers to `dataset`.
   */
  dataset?: string | null | undefined;
  /**
   * Show only datasets on this pool
   *
   * Refers to `pool`.
   */
  primaryPool?: string | null | undefined;
  /**
   * Show only datasets of certain role
   *
   * Rules: one of `hypervisor`, `primary`, `backup`.
   */
  role?: PoolRole | null | undefined;
  /** Show only datasets to certain depth */
  toDepth?: number | null | undefined;
  /**
   * Dataset owner
   *
   * Refers to `user`.
   */
  user?: string | null | undefined;
  /** Refers to `vps`. */
  vps?: string | null | undefined;
};

/** Input of `dataset.snapshot#create`. Omitted fields are not sent to the API; null is sent as null. */
export type DatasetSnapshotCreateInput = {
  label?: string | null | undefined;
};

/** The values of `dataset.sync` that the API describes. */
export type DatasetSync =
  | 'DISABLED'
  | 'STANDARD';

/** The values of `pool.role`, `dataset.role` that the API describes. */
export type PoolRole =
  | 'BACKUP'
  | 'HYPERVISOR'
  | 'PRIMARY';

/** The possible reasons why a write is rejected or its action fails. */
export type UserErrorCode =
  /** The API accepted the action, and the action failed. */
  | 'ACTION_FAILED'
  /** The value does not agree with the input that it confirms. */
  | 'CONFIRMATION'
  /** The write conflicts with the state of the object. */
  | 'CONFLICT'
  /** The value is one of the forbidden values. */
  | 'EXCLUDED'
  /** The value does not have the required format. */
  | 'FORMAT'
  /** The API rejects the input; the message has its reason. */
  | 'INVALID'
  /** The value is not the one that the API accepts. */
  | 'NOT_ACCEPTED'
  /** The API refuses to cancel the action. */
  | 'NOT_CANCELLABLE'
  /** The value is not one of the allowed values. */
  | 'NOT_INCLUDED'
  /** The input is null and must have a value. */
  | 'NULL_NOT_ALLOWED'
  /** The API rejects the write as a whole; the message has its reason. */
  | 'REFUSED'
  /** The input is missing. */
  | 'REQUIRED'
  /** The object is locked by another action. The write may succeed later. */
  | 'RESOURCE_LOCKED'
  /** The number is not on a step of the allowed range. */
  | 'STEP'
  /** The number is greater than the maximum. */
  | 'TOO_LARGE'
  /** The value is longer than the maximum length. */
  | 'TOO_LONG'
  /** The value is shorter than the minimum length. */
  | 'TOO_SHORT'
  /** The number is less than the minimum. */
  | 'TOO_SMALL'
  /** The value does not have the type of the input. */
  | 'TYPE_MISMATCH'
  /** The value does not have the required length. */
  | 'WRONG_LENGTH';

export type ActionProgressSubscriptionVariables = Exact<{
  id: string;
}>;


export type ActionProgressSubscription = { actionProgress: { id: string, label: string | null, outcome: ActionOutcome | null, progress: number | null, current: number | null, total: number | null, canCancel: boolean | null } };

export type ActionStatesQueryVariables = Exact<{
  order?: ActionStateOrder | null | undefined;
}>;


export type ActionStatesQuery = { actionStates: { nodes: Array<{ id: string, label: string | null, finished: boolean | null, status: boolean | null, current: number | null, total: number | null, unit: string | null, canCancel: boolean | null, createdAt: string | null, updatedAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type ClusterOverviewQueryVariables = Exact<{
  value: string;
}>;


export type ClusterOverviewQuery = { cluster: { id: string, maintenanceLock: boolean | null, maintenanceLockReason: string | null } | null, clusterPublicStats: { userCount: number | null, vpsCount: number | null, ipv4Left: number | null } | null, clusterFullStats: { nodeCount: number | null, nodesOnline: number | null, userCount: number | null } | null, clusterSearchResults: Array<{ resource: string | null, databaseId: number | null, attribute: string | null, value: string | null, object:
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
      | { id: string }
     | null } | null> | null };

export type DatasetTreeQueryVariables = Exact<{
  id: string;
}>;


export type DatasetTreeQuery = { dataset: { id: string, databaseId: number | null, label: string | null, quota: number | null, refquota: number | null, sync: DatasetSync | null, parent: { id: string, databaseId: number | null, label: string | null, quota: number | null, refquota: number | null, sync: DatasetSync | null, user: { id: string, login: string | null, fullName: string | null } | null, environment: { id: string, label: string | null, description: string | null } | null } | null, snapshots: { nodes: Array<{ id: string, name: string | null, label: string | null, createdAt: string | null, dataset: { id: string, label: string | null } | null }>, pageInfo: { hasNextPage: boolean } } | null, datasetExpansion: { state: DatasetExpansionState | null, addedSpace: number | null, histories: { nodes: Array<{ addedSpace: number | null, newRefquota: number | null, admin: { label: string | null } | null }> } | null } | null, relatedDatasets: { nodes: Array<{ id: string, name: string | null }> } | null, user: { id: string, login: string | null, fullName: string | null } | null, environment: { id: string, label: string | null, description: string | null } | null } | null };

export type DatasetFactsFragment = { id: string, databaseId: number | null, label: string | null, quota: number | null, refquota: number | null, sync: DatasetSync | null, user: { id: string, login: string | null, fullName: string | null } | null, environment: { id: string, label: string | null, description: string | null } | null };

export type DatasetsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: DatasetFilter | null | undefined;
}>;


export type DatasetsQuery = { datasets: { totalCount: number | null, nodes: Array<{ id: string, name: string | null, user: { id: string, label: string | null } | null, environment: { id: string, label: string | null } | null, parent: { id: string, label: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type NodesQueryVariables = Exact<{
  ids: Array<string> | string;
}>;


export type NodesQuery = { nodes: Array<
    | { __typename: 'ActionState', id: string }
    | { __typename: 'Cluster', maintenanceLock: boolean | null, id: string }
    | { __typename: 'ClusterResource', id: string }
    | { __typename: 'ClusterResourcePackage', id: string }
    | { __typename: 'ClusterResourcePackageItem', id: string }
    | { __typename: 'Component', id: string }
    | { __typename: 'Dataset', name: string | null, id: string }
    | { __typename: 'DatasetExpansion', id: string }
    | { __typename: 'DatasetExpansionHistory', id: string }
    | { __typename: 'DatasetPlan', id: string }
    | { __typename: 'DatasetPlanAssignment', id: string }
    | { __typename: 'DatasetPropertyHistory', id: string }
    | { __typename: 'DatasetSnapshot', name: string | null, id: string, dataset: { label: string | null } | null }
    | { __typename: 'DefaultObjectClusterResource', id: string }
    | { __typename: 'DnsRecord', id: string }
    | { __typename: 'DnsZone', id: string }
    | { __typename: 'Environment', id: string }
    | { __typename: 'EnvironmentDatasetPlan', id: string }
    | { __typename: 'Export', id: string }
    | { __typename: 'Location', id: string }
    | { __typename: 'NodeResource', id: string }
    | { __typename: 'Pool', id: string }
    | { __typename: 'User', login: string | null, id: string, datasets: { totalCount: number | null, nodes: Array<{ id: string, label: string | null }> } | null }
    | { __typename: 'Vps', id: string }
    | { __typename: 'VpsMount', id: string }
   | null> | null };

export type SnapshotCreateMutationVariables = Exact<{
  dataset: string;
  input?: DatasetSnapshotCreateInput | null | undefined;
  wait?: number | null | undefined;
}>;


export type SnapshotCreateMutation = { datasetSnapshotCreate: { snapshot: { id: string, labelValue: string | null, dataset: { name: string | null } | null } | null, actionState: { id: string, outcome: ActionOutcome | null, progress: number | null } | null, userErrors: Array<{ code: UserErrorCode, message: string, path: Array<string> | null, parameter: string | null }>, query: { dataset: { snapshots: { nodes: Array<{ id: string }> } | null } | null } } | null };
