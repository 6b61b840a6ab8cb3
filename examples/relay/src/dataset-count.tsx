// Counts all datasets by a live query.
import { graphql, useLazyLoadQuery } from 'react-relay';
import type { datasetCountQuery } from './__generated__/datasetCountQuery.graphql.ts';
import { toLiveQuery } from './live-query.ts';

const QUERY = toLiveQuery(graphql`
  query datasetCountQuery @live @throwOnFieldError {
    datasets(first: 0) {
      totalCount
    }
  }
`);

export function DatasetCount() {
  const { datasets } = useLazyLoadQuery<datasetCountQuery>(QUERY, {});
  return <p>{datasets.totalCount} datasets</p>;
}
