// Limits the size of GraphQL documents.
import type { DocumentNode, Source } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { checkDocument, checkText } from '../../operation/cost/document-size.ts';
import type { DocumentLimits } from '../../operation/limits.ts';

/** Rejects documents beyond the limits: the text before it is parsed, the document before it is validated. */
export function useDocumentLimits(limits: DocumentLimits): Plugin {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source: string | Source, options?: object): DocumentNode => {
        checkText(source, limits);
        const document: DocumentNode = parseFn(source, options);
        checkDocument(document, limits);
        return document;
      });
    },
  };
}
