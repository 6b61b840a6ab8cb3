// The operations of the operator, as far as they are valid in the schema of the user.
import { useEffect, useState } from 'react';
import { type CollectedDocument, fetchDocuments, type TabDocument } from '../fetch-documents.ts';
import { tryDescribe } from './describe-operation.ts';
import { OperationLabel } from './operation-label.tsx';

/** A list with a title; nothing for operators who have none. */
export function CollectionList({ open }: { readonly open: (document: TabDocument) => void }) {
  /** Null when it cannot be fetched. */
  const [collection, setCollection] = useState<readonly CollectedDocument[] | null>([]);
  useEffect(() => {
    void fetchDocuments('collection').then(setCollection);
  }, []);
  if (collection?.length === 0) return null;
  return (
    <>
      <h3>From the operator</h3>
      {collection === null ? (
        <p role="alert">They cannot be fetched. Close this pane, and open it again in a moment.</p>
      ) : (
        <ul aria-label="From the operator">
          {collection.map(({ id, query }) => {
            const facts = tryDescribe(query);
            const variables = emptyVariables(facts?.requiredVariables ?? []);
            return (
              <li key={id}>
                <OperationLabel
                  title={facts?.name ?? id}
                  facts={facts}
                  open={() => open({ query, variables })}
                />
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

/** The variables that the user has to fill in: null, which the server refuses. */
const emptyVariables = (names: readonly string[]): string | null =>
  names.length === 0 ? null : JSON.stringify(Object.fromEntries(names.map((name) => [name, null])), null, 2);
