import type { NamedInput, UserErrorShape } from '../schema/resolve/user-errors.ts';
import { parseDatetime } from '../upstream/validation/datetime.ts';
import { DatetimeValue } from '../upstream/validation/ruby-text.ts';
import type { SnippetParameters } from './snippets-client.ts';

/** A new snippet as a client describes it. Null is the same as omitted: the service knows no null. */
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

/** The inputs of a new snippet, and the service's names for them. */
export const INPUTS: readonly NamedInput[] = [
  input('title', 'title'),
  input('fileName', 'file_name'),
  input('language', 'language'),
  input('content', 'content'),
  input('accessibility', 'accessibility'),
  input('expiration', 'expiration'),
];

/** Why an input is refused before the service is asked. */
export function userError(name: keyof SnippetInput, code: string, message: string): UserErrorShape {
  const parameter = INPUTS.find((candidate) => candidate.name === name)?.parameter.name ?? null;
  return { message, code, path: ['input', name], parameter };
}

/** The service's parameters for a new snippet, and what is wrong with those that it cannot be sent. */
export function toParameters(given: SnippetInput): {
  readonly parameters: SnippetParameters;
  readonly userErrors: readonly UserErrorShape[];
} {
  const { expiration, content } = given;
  const timestamp = typeof expiration === 'string' ? timestampOf(expiration) : undefined;
  const values = { ...given, expiration: timestamp };
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
        ? [userError('expiration', 'FORMAT', 'must be a date such as 2030-01-31, or a time with its zone')]
        : []),
    ],
  };
}

/** Whole seconds since 1970; null for a time that calendars disagree on. */
function timestampOf(text: string): string | null {
  const time = parseDatetime(text);
  return time instanceof DatetimeValue ? (time.instant.split('.')[0] ?? null) : null;
}
