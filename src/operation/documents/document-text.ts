// Writes documents without what has no meaning.
import { type DocumentNode, type Token, TokenKind } from 'graphql';

/**
 * The tokens of a document with a space between them: the same for documents that differ in space, commas and comments only. Null
 * for a document that was not parsed from a text. `print` of graphql-js takes ten times as long.
 */
export function normalizeText({ loc }: DocumentNode): string | null {
  if (loc === undefined) return null;
  const { body } = loc.source;
  let text = '';
  for (let token: Token | null = loc.startToken; token !== null; token = token.next)
    if (token.kind !== TokenKind.COMMENT) text += `${body.slice(token.start, token.end)} `;
  return text;
}
