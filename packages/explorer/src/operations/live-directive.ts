// Makes the query of a document live, and not live any more.
import { type DirectiveNode, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { findOperation, tryParse } from './find-operation.ts';
import type { TextEdit } from './text-edit.ts';

/** Whether a query is live, and the edit that changes this. */
export interface LiveSwitch {
  readonly isLive: boolean;
  readonly edit: TextEdit;
}

/** The directive that makes an operation live. */
export const liveDirectiveOf = ({ directives = [] }: OperationDefinitionNode): DirectiveNode | undefined =>
  directives.find(({ name }) => name.value === 'live');

/** Reads whether the operation is live. Null if it cannot be: it is no query, or the text is not complete. */
export function readLiveSwitch(text: string, operationName: string | null): LiveSwitch | null {
  const document = tryParse(text);
  const operation = document === null ? null : findOperation(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const place = liveDirectiveOf(operation)?.loc;
  if (place !== undefined) {
    const before = text.slice(0, place.start);
    // With the space before it.
    return { isLive: true, edit: { start: before.trimEnd().length, end: place.end, text: '' } };
  }
  const start = operation.selectionSet.loc?.start ?? 0;
  const isShort = start === operation.loc?.start;
  const gap = /\s$/.test(text.slice(0, start)) ? '' : ' ';
  return { isLive: false, edit: { start, end: start, text: isShort ? 'query @live ' : `${gap}@live ` } };
}
