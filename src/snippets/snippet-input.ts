// Converts the input of a new snippet to parameters of the snippet service.
import type { NamedInput, UserErrorShape } from '../schema/resolve/field-errors.ts';
import { parseDatetime } from '../upstream/validation/datetime.ts';
import { DatetimeValue } from '../upstream/validation/ruby-values.ts';
import type { SnippetParameters } from './snippets-client.ts';

/** The input of a new snippet. Null is the same as omitted, because the service does not accept null. */
export interface SnippetInput {
  readonly title?: string | null | undefined;
  readonly fileName?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly content: string;
  readonly accessibility?: number | null | undefined;
  readonly expiration?: string | null | undefined;
}

const input = (name: keyof SnippetInput, parameter: string): NamedInput => ({
  name,
  parameter: { name: parameter },
});

/** The inputs of a new snippet and their parameter names in the service. */
export const INPUTS: readonly NamedInput[] = [
  input('title', 'title'),
  input('fileName', 'file_name'),
  input('language', 'language'),
  input('content', 'content'),
  input('accessibility', 'accessibility'),
  input('expiration', 'expiration'),
];

/** Creates the user error of an input that is rejected without a request. */
export function userError(name: keyof SnippetInput, code: string, message: string): UserErrorShape {
  const parameter = INPUTS.find((candidate) => candidate.name === name)?.parameter.name ?? null;
  return { message, code, path: ['input', name], parameter };
}

/** Converts the input of a new snippet to parameters, and validates the inputs that cannot be sent. */
export function toParameters(snippet: SnippetInput): {
  readonly parameters: SnippetParameters;
  readonly userErrors: readonly UserErrorShape[];
} {
  const { expiration, content } = snippet;
  const timestamp = typeof expiration === 'string' ? toTimestamp(expiration) : undefined;
  const values = { ...snippet, expiration: timestamp };
  return {
    parameters: Object.fromEntries(
      INPUTS.flatMap(({ name, parameter }) => {
        const value = values[name as keyof SnippetInput];
        return value === undefined || value === null ? [] : [[parameter.name, String(value)]];
      }),
    ),
    userErrors: [
      ...(content === '' ? [userError('content', 'REQUIRED', 'must be present and non-empty')] : []),
      ...(timestamp === null
        ? [userError('expiration', 'FORMAT', 'must be a date such as 2030-01-31, or a time with a zone')]
        : []),
    ],
  };
}

/** Converts a date or time to Unix seconds. Returns null if the text does not denote an exact time. */
function toTimestamp(text: string): string | null {
  const time = parseDatetime(text);
  return time instanceof DatetimeValue ? (time.instant.split('.')[0] ?? null) : null;
}
