import { detectLanguage } from './detect.ts';
import { autodetect, isLanguage, plainText } from './language-list.ts';
import type { Parameters } from './snippet-parameters.ts';
import { type Accessibility, accessibilities, type Snippet } from './snippet-store.ts';

/** How long a snippet is kept that names no expiration (spec: Limits). Milliseconds. */
const defaultLife = 30 * 60 * 1000;

/** The last second that a date can hold. */
const lastSecond = 8_640_000_000_000;

/** What is wrong with each parameter. */
export type ParameterErrors = Readonly<Record<string, readonly string[]>>;

/** Reads what a new snippet is to be; all that is wrong with it is told at once. */
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
  else if (owner === null && accessibility > accessibilities.unlisted)
    refuse('accessibility', 'accessibility must be 0 or 1 without an API key');
  const expiration = readExpiration(parameters.get('expiration'), now);
  if (expiration === undefined) refuse('expiration', 'expiration must be a timestamp in seconds');
  const language = parameters.get('language') ?? plainText;
  if (!isLanguage(language)) refuse('language', 'language does not exist');
  if (Object.keys(errors).length > 0 || accessibility === undefined || expiration === undefined)
    return { errors };
  const fileName = parameters.get('file_name') ?? '';
  const title = parameters.get('title') ?? '';
  const detected = language === autodetect ? detectLanguage(fileName, content) : language;
  return { snippet: { title, fileName, language: detected, content, accessibility, expiration, owner } };
}

function readAccessibility(text = String(accessibilities.unlisted)): Accessibility | undefined {
  return Object.values(accessibilities).find((value) => text === String(value));
}

/** A time that has passed counts as none given, as the service's public implementation has it. */
function readExpiration(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return now + defaultLife;
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= lastSecond)) return undefined;
  return seconds * 1000 > now ? seconds * 1000 : now + defaultLife;
}
