// Limits the length and depth of GraphQL documents.
import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Limits of one document, far above what people and their tools write. */
const MAX_TOKENS = 20_000;
const MAX_DEPTH = 200;

const OPENING_BRACKETS: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const CLOSING_BRACKETS: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/** Rejects documents that are too long or nested too deeply before they are parsed, because the parser would exhaust the stack. */
export function useDocumentLimits(): Plugin {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source: string | Source, options?: object) => {
        checkDocument(typeof source === 'string' ? new Source(source) : source);
        return parseFn(source, options);
      });
    },
  };
}

function checkDocument(source: Source): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    const { kind } = lexer.token;
    if (OPENING_BRACKETS.has(kind)) depth += 1;
    else if (CLOSING_BRACKETS.has(kind)) depth -= 1;
    if (depth > MAX_DEPTH)
      throw new GraphQLError(`The document is nested more than ${MAX_DEPTH} levels deep.`);
    if (tokens > MAX_TOKENS) throw new GraphQLError(`The document has more than ${MAX_TOKENS} tokens.`);
  }
}
