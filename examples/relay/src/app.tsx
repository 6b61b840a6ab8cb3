// The page. Its list begins with one query.
import { Suspense } from 'react';
import { graphql, useLazyLoadQuery } from 'react-relay';
import type { appQuery } from './__generated__/appQuery.graphql.ts';
import { DatasetCount } from './dataset-count.tsx';
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
  return (
    <>
      <Suspense>
        <DatasetCount />
      </Suspense>
      <DatasetList query={query} />
    </>
  );
}
