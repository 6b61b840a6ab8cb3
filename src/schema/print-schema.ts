// Prints a schema as SDL.
import { getDocumentNodeFromSchema } from '@graphql-tools/utils';
import { type DocumentNode, type GraphQLSchema, print, visit } from 'graphql';
import { escapeControls, hasControls } from '../control-characters.ts';

/**
 * Prints a schema as SDL, sorted by name. Unlike `printSchema` of graphql-js it also prints the directives of fields, such as
 * `@semanticNonNull`, which introspection cannot show.
 */
export const printSDL = (schema: GraphQLSchema): string =>
  `${printDocument(getDocumentNodeFromSchema(schema))}\n`;

/**
 * Prints definitions. Block strings have no escapes, and older parsers refuse control characters, so that texts which contain some are
 * printed as quoted strings.
 */
export function printDocument(document: DocumentNode): string {
  const text = print(document);
  if (!hasControls(text)) return text;
  const quoted = visit(document, {
    StringValue: (node) => (hasControls(node.value) ? { ...node, block: false } : undefined),
  });
  return escapeControls(print(quoted));
}
