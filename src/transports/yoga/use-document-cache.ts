// Parses each document once, and validates it once for each schema.
import type { ServerPlugin } from '../../operation/context.ts';
import type { DocumentCaches } from '../../operation/documents/document-cache.ts';

/**
 * Remembers documents with the errors of their validation, and texts that cannot be parsed. The rules of the validation depend on the
 * document alone; yoga's own cache joins the names of all rules for each request. It comes after the plugins that check texts, and
 * before those that change errors.
 */
export function useDocumentCache({
  documentCache: documents,
  errorCache: failures,
  validations,
}: DocumentCaches): ServerPlugin {
  return {
    onParse({ params: { source }, setParsedDocument }) {
      const text = typeof source === 'string' ? source : source.body;
      const document = documents.get(text);
      if (document !== undefined) return setParsedDocument(document);
      const failure = failures.get(text);
      if (failure !== undefined) throw failure;
      return ({ result }) => {
        if (result instanceof Error) failures.set(text, result);
        else if (result !== null) documents.set(text, result);
      };
    },
    onValidate({ params: { schema, documentAST }, setResult }) {
      const validation = validations.get(schema, documentAST);
      if (validation.errors !== null) return setResult(validation.errors);
      return ({ result }) => {
        validation.errors = result;
      };
    },
  };
}
