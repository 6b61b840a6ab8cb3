// Reads from a document how the result of its operation comes.
import { OperationTypeNode, visit } from 'graphql';
import { findOperation, tryParse } from './find-operation.ts';
import type { OperationShape } from './last-operation.ts';
import { liveDirectiveOf } from './live-directive.ts';

/** Reads how the result comes, and the name of the operation. */
export function readShape(query: string, operationName: string | null): OperationShape {
  const plain = { name: operationName, isStream: false, isSubscription: false, isLive: false };
  const document = tryParse(query);
  if (document === null) return plain;
  const operation = findOperation(document, operationName);
  const name = operation === null ? operationName : (operation.name?.value ?? null);
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION)
    return { ...plain, name, isStream: true, isSubscription: true };
  if (operation !== null && liveDirectiveOf(operation) !== undefined)
    return { ...plain, name, isStream: true, isLive: true };
  let isStream = false;
  visit(document, {
    Directive: ({ name: { value } }) => {
      isStream ||= value === 'defer' || value === 'stream';
    },
  });
  return { ...plain, name, isStream };
}
