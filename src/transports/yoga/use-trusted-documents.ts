// Executes documents that clients name by id, and refuses others where the operator says so.
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { TrustedDocuments } from '../../operation/documents/trusted-documents.ts';

/** Finds the documents that HTTP requests name by id. Refuses untrusted documents of any transport before they are parsed. */
export function useTrustedDocuments(documents: TrustedDocuments): Plugin {
  return {
    onParams({ request, params, setParams }) {
      setParams(documents.resolve(withIdOfUrl(params, request)));
    },
    onParse({ params: { source } }) {
      documents.check(source);
    },
  };
}

/** Adds the parameter `documentId` of a URL, which yoga does not read. */
function withIdOfUrl(params: GraphQLParams, { method, url }: Request): GraphQLParams {
  const documentId = method === 'GET' ? new URL(url).searchParams.get('documentId') : null;
  return documentId === null ? params : ({ ...params, documentId } as GraphQLParams);
}
