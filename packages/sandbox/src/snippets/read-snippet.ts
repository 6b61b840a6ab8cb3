// Reads and validates the parameters of a new snippet.
import { detectLanguage } from './detect-language.ts';
import { AUTODETECT, isLanguage, PLAIN_TEXT } from './language-list.ts';
import type { Parameters } from './snippet-parameters.ts';
import { ACCESSIBILITIES, type Accessibility, type Snippet } from './snippet-store.ts';

/** Milliseconds for which a snippet without an expiration is kept (specification: Limits). */
const DEFAULT_LIFETIME = 30 * 60 * 1000;

/** The last time that a `Date` can hold, in seconds since 1970. */
const MAX_TIMESTAMP = 8_640_000_000_000;

/** Error messages by parameter. */
export type ParameterErrors = Readonly<Record<string, readonly string[]>>;

/** Reads the parameters of a new snippet, or the errors of every invalid parameter. */
export function readSnippet(
  parameters: Parameters,
  owner: string | null,
  now: number,
): { readonly snippet: Omit<Snippet, 'code'> } | { readonly errors: ParameterErrors } {
  const errors: Record<string, readonly string[]> = {};
  const refuse = (parameter: string, message: string): void => {
    errors[parameter] = [message];
  };
  const content = parameters.get('content') ?? '';
  if (content.trim() === '') refuse('content', 'This field is required.');
  const accessibility = readAccessibility(parameters.get('accessibility'));
  if (accessibility === undefined) refuse('accessibility', 'accessibility must be 0, 1, 2 or 3');
  else if (owner === null && accessibility > ACCESSIBILITIES.unlisted)
    refuse('accessibility', 'accessibility must be 0 or 1 without an API key');
  const expiration = readExpiration(parameters.get('expiration'), now);
  if (expiration === undefined) refuse('expiration', 'expiration must be a timestamp in seconds');
  const language = parameters.get('language') ?? PLAIN_TEXT;
  if (!isLanguage(language)) refuse('language', 'language does not exist');
  if (Object.keys(errors).length > 0 || accessibility === undefined || expiration === undefined)
    return { errors };
  const fileName = parameters.get('file_name') ?? '';
  const title = parameters.get('title') ?? '';
  const detected = language === AUTODETECT ? detectLanguage(fileName, content) : language;
  return { snippet: { title, fileName, language: detected, content, accessibility, expiration, owner } };
}

function readAccessibility(text = String(ACCESSIBILITIES.unlisted)): Accessibility | undefined {
  return Object.values(ACCESSIBILITIES).find((value) => text === String(value));
}

/** A time in the past is ignored, as in the public implementation of the service. */
function readExpiration(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return now + DEFAULT_LIFETIME;
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= MAX_TIMESTAMP)) return undefined;
  return seconds * 1000 > now ? seconds * 1000 : now + DEFAULT_LIFETIME;
}
