// Creates a snapshot of a dataset, and follows the action that makes it.
import { useMutation, useSubscription } from 'urql';
import { graphql } from './__generated__/gql.ts';
import type { ActionFragment } from './__generated__/graphql.ts';

const CREATE_SNAPSHOT = graphql(`
  mutation CreateSnapshot($dataset: ID!) {
    datasetSnapshotCreate(dataset: $dataset) {
      actionState {
        ...Action
      }
      userErrors {
        message
      }
    }
  }
`);

const ACTION_PROGRESS = graphql(`
  subscription ActionProgress($id: ID!) {
    actionProgress(id: $id, minInterval: 0.2) {
      ...Action
    }
  }
`);

graphql(`
  fragment Action on ActionState {
    id
    outcome
    progress
  }
`);

interface Snapshot {
  readonly create: () => void;
  /** The latest state of the last action. Null before the first one, and when the API has refused it. */
  readonly action: ActionFragment | null;
  readonly isRunning: boolean;
  /** Why there is no snapshot, or why its progress cannot be followed. */
  readonly error: Error | null;
}

/** @param dataset The id of the dataset. */
export function useSnapshot(dataset: string): Snapshot {
  const [creation, createSnapshot] = useMutation(CREATE_SNAPSHOT);
  const { actionState: begun = null, userErrors: [refusal] = [] } =
    creation.data?.datasetSnapshotCreate ?? {};
  const [progress] = useSubscription({
    query: ACTION_PROGRESS,
    variables: { id: begun?.id ?? '' },
    pause: begun === null,
  });
  // The last event of an earlier action stays until the first one of the next.
  const latest = progress.data?.actionProgress;
  const action = begun && latest?.id === begun.id ? latest : begun;
  const hasEnded = action !== null && action.outcome !== 'RUNNING';

  return {
    create: () => void createSnapshot({ dataset }),
    action,
    isRunning: creation.fetching || (action !== null && !hasEnded && !progress.error),
    error: creation.error ?? (refusal ? new Error(refusal.message) : null) ?? progress.error ?? null,
  };
}
