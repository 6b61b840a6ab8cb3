// Selects a part of results by a JMESPath expression.
import { compile, type JSONValue, search } from '@jmespath-community/jmespath';
import { type CommandError, usageError } from '../exit-codes.ts';
import { note } from './output.ts';

/** Returns a part of the data; null where nothing is there. @throws CommandError when that cannot be found out. */
export type Select = (data: unknown) => unknown;

/**
 * Reads an expression, before anything is executed. A dot at its start, as jq wants it, is ignored.
 * @throws CommandError when it is invalid.
 */
export function parseSelect(given: string): Select {
  const expression = given.replace(/^\./, '');
  try {
    compile(expression);
  } catch (error) {
    throw invalid(error);
  }
  return (data) => {
    const found = evaluate(data, expression);
    if (found === null)
      note(`warning: --select finds nothing at ${given}. Write lists like books.nodes[].title.`);
    return found;
  };
}

function evaluate(data: unknown, expression: string): unknown {
  try {
    return search(data as JSONValue, expression);
  } catch (error) {
    throw invalid(error);
  }
}

const invalid = (error: unknown): CommandError =>
  usageError(
    `--select must be a JMESPath expression, such as books.nodes[].title: ${error instanceof Error ? error.message : error}`,
  );
