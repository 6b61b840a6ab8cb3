// A list of datasets that grows page by page: a pagination container.
import { graphql, usePaginationFragment } from 'react-relay';
import type { DatasetListPaginationQuery } from './__generated__/DatasetListPaginationQuery.graphql.ts';
import type { datasetList_query$key } from './__generated__/datasetList_query.graphql.ts';
import { DatasetRow } from './dataset-row.tsx';

const PAGE = 25;

export function DatasetList({ query }: { query: datasetList_query$key }) {
  const { data, loadNext, hasNext, isLoadingNext } = usePaginationFragment<
    DatasetListPaginationQuery,
    datasetList_query$key
  >(
    graphql`
      fragment datasetList_query on Query
      @argumentDefinitions(count: { type: "Int", defaultValue: 25 }, cursor: { type: "String" })
      @refetchable(queryName: "DatasetListPaginationQuery")
      @throwOnFieldError {
        datasets(first: $count, after: $cursor) @connection(key: "datasetList_datasets") {
          edges {
            node {
              id
              ...datasetRow_dataset
            }
          }
        }
      }
    `,
    query,
  );
  return (
    <>
      <ul>
        {data.datasets.edges.map(({ node }) => (
          <DatasetRow key={node.id} dataset={node} />
        ))}
      </ul>
      {hasNext && (
        <button type="button" disabled={isLoadingNext} onClick={() => loadNext(PAGE)}>
          Load more
        </button>
      )}
    </>
  );
}
