// Reads from a document how the result of its operation comes.
import { Kind, OperationTypeNode, visit } from 'graphql';
import { findOperation, tryParse } from './find-operation.ts';
import type { OperationShape } from './last-operation.ts';
import { liveDirectiveOf } from './live-directive.ts';

/** How the result of an operation comes. */
export interface Shape extends OperationShape {
  /** Names of the root fields of a subscription. */
  readonly fields: readonly string[];
}

/** Reads how the result comes, and the name of the operation. */
export function readShape(query: string, operationName: string | null): Shape {
  const plain = { name: operationName, isStream: false, isSubscription: false, isLive: false, fields: [] };
  const document = tryParse(query);
  if (document === null) return plain;
  const operation = findOperation(document, operationName);
  const name = operation === null ? operationName : (operation.name?.value ?? null);
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION) {
    const fields = operation.selectionSet.selections.flatMap((node) =>
      node.kind === Kind.FIELD ? [node.name.value] : [],
    );
    return { ...plain, name, isStream: true, isSubscription: true, fields };
  }
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
