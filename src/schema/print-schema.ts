// Prints a schema as SDL.

import { printSchemaWithDirectives } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';

/**
 * Prints a schema as SDL, sorted by name. Unlike `printSchema` of graphql-js it also prints the directives of fields, such as
 * `@semanticNonNull`, which introspection cannot show.
 */
export const printSDL = (schema: GraphQLSchema): string => `${printSchemaWithDirectives(schema)}\n`;
