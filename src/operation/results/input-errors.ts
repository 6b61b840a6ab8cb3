// Translates the errors of inputs that break described rules, which are thrown in the operator's language.
import type { GraphQLError } from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import type { SchemaTexts } from '../../schema/descriptions/schema-texts.ts';
import { type IncrementalResult, mapErrors } from '../incremental/incremental-result.ts';
import { createErrorAt } from '../mask-error.ts';

/** Whether a result has errors with messages of described rules. */
export const hasInputErrors = ({ errors, incremental }: IncrementalResult): boolean =>
  errors?.some(isTranslatable) === true ||
  incremental?.some((part) => part.errors?.some(isTranslatable) === true) === true;

/** Translates those errors. @param texts Null: they stay as they are. */
export function translateErrors(result: IncrementalResult, texts: SchemaTexts | null): IncrementalResult {
  if (texts === null) return result;
  return mapErrors(result, (error) => {
    const { originalError, message, extensions } = error;
    const translated =
      originalError instanceof InvalidInputError ? originalError.inLanguage?.(texts.messageOf) : undefined;
    return translated === undefined ? error : createErrorAt(error, message, extensions, translated);
  });
}

const isTranslatable = ({ originalError }: GraphQLError): boolean =>
  originalError instanceof InvalidInputError && originalError.inLanguage !== null;
