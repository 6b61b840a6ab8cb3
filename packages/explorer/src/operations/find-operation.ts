// Finds the operation of a document that the page executes.
import { type DocumentNode, Kind, type OperationDefinitionNode, parse } from 'graphql';

/** Reads a document; null if it is incomplete or invalid, which the server explains. */
export function tryParse(text: string): DocumentNode | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** The operation with a name, or else the only one: shortly after a change, GraphiQL gives the name of an earlier document. */
export function findOperation(document: DocumentNode, name: string | null): OperationDefinitionNode | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [first = null, ...others] = operations;
  const named = operations.find((operation) => operation.name?.value === name);
  return named ?? (others.length === 0 ? first : null);
}
