// A dataset whose snapshots are read when a person asks for them, and again whenever they like: a refetch container.
import { useTransition } from 'react';
import { graphql, useRefetchableFragment } from 'react-relay';
import type { DatasetRowRefetchQuery } from './__generated__/DatasetRowRefetchQuery.graphql.ts';
import type { datasetRow_dataset$key } from './__generated__/datasetRow_dataset.graphql.ts';

export function DatasetRow({ dataset }: { dataset: datasetRow_dataset$key }) {
  const [isPending, startTransition] = useTransition();
  const [data, refetch] = useRefetchableFragment<DatasetRowRefetchQuery, datasetRow_dataset$key>(
    graphql`
      fragment datasetRow_dataset on Dataset
      @argumentDefinitions(withSnapshots: { type: "Boolean", defaultValue: false })
      @refetchable(queryName: "DatasetRowRefetchQuery")
      @throwOnFieldError {
        id
        name
        snapshots(first: 5) @include(if: $withSnapshots) {
          totalCount
          nodes {
            id
            name
            labelValue
          }
        }
      }
    `,
    dataset,
  );
  const readSnapshots = () =>
    startTransition(() => void refetch({ withSnapshots: true }, { fetchPolicy: 'network-only' }));
  return (
    <li>
      <h2>{data.name}</h2>
      <button type="button" disabled={isPending} onClick={readSnapshots}>
        {data.snapshots ? 'Refresh' : 'Show snapshots'}
      </button>
      {data.snapshots && (
        <ul aria-label={`Snapshots of ${data.name}`}>
          {data.snapshots.nodes.map(({ id, name, labelValue }) => (
            <li key={id}>{labelValue ?? name}</li>
          ))}
        </ul>
      )}
    </li>
  );
}
