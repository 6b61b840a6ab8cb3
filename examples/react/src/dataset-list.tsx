// Lists datasets. Each page of the list is a live query of its own, whose result changes with the datasets.
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from './__generated__/gql.ts';
import { DatasetRow } from './dataset-row.tsx';
import { ErrorMessage } from './error-message.tsx';

const DATASETS = graphql(`
  query Datasets($after: String) @live {
    datasets(first: 12, after: $after) {
      nodes {
        id
        name
        used
        refquota
        snapshots(first: 0) {
          totalCount
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export function DatasetList() {
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  const isLast = (index: number) => index === cursors.length - 1;
  return cursors.map((after, index) => (
    <DatasetPage
      key={after}
      after={after}
      onMore={isLast(index) ? (end) => setCursors([...cursors, end]) : null}
    />
  ));
}

interface DatasetPageProps {
  readonly after: string | null;
  /** Shows the page after a cursor. Null: it is shown already. */
  readonly onMore: ((after: string | null) => void) | null;
}

function DatasetPage({ after, onMore }: DatasetPageProps) {
  const [{ data, error }, read] = useQuery({ query: DATASETS, variables: { after } });
  if (error) {
    return <ErrorMessage error={error} onRetry={() => read({ requestPolicy: 'network-only' })} />;
  }
  if (!data)
    return (
      <p className="quiet" role="status">
        Loading datasets…
      </p>
    );
  const { nodes, pageInfo } = data.datasets;
  return (
    <>
      <ul className="datasets">
        {nodes.map((dataset) => (
          <DatasetRow key={dataset.id} dataset={dataset} />
        ))}
      </ul>
      {onMore && pageInfo.hasNextPage && (
        <button type="button" onClick={() => onMore(pageInfo.endCursor)}>
          Show more
        </button>
      )}
    </>
  );
}
