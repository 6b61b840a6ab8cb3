// Reads what the page shows first, by one query.
import { graphql, useLazyLoadQuery } from 'react-relay';
import type { appQuery } from './__generated__/appQuery.graphql.ts';
import { DatasetList } from './dataset-list.tsx';

export function App() {
  const query = useLazyLoadQuery<appQuery>(
    graphql`
      query appQuery {
        ...datasetList_query
      }
    `,
    {},
  );
  return <DatasetList query={query} />;
}
