// Translates responses into the language that a request asks for. English texts are the keys of the translations.
import type { Response } from '../http/response.ts';
import { CZECH_LABELS } from './czech-labels.ts';
import { CZECH_MESSAGES } from './czech-messages.ts';
import { CZECH_TEXTS } from './czech-texts.ts';

/** The languages of the sandbox. */
export type Language = 'en' | 'cs';

const CZECH: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CZECH_LABELS),
  ...Object.entries(CZECH_TEXTS),
]);

/** Keys of texts in descriptions. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['label', 'description', 'message']);

/** Chooses the language with the highest weight that the sandbox has. A region does not count. English is for all others. */
export function chooseLanguage(header: string | undefined): Language {
  let chosen: Language = 'en';
  let best = 0;
  for (const range of (header ?? '').split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = quality === undefined ? 1 : Number.parseFloat(quality.slice(2));
    const language = tag.split(/[-_]/, 1)[0];
    if ((language === 'en' || language === 'cs') && weight > best) {
      chosen = language;
      best = weight;
    }
  }
  return chosen;
}

/** Translates a response. @param isDescription Whether it answers OPTIONS. */
export function translateResponse(response: Response, language: Language, isDescription: boolean): Response {
  const headers = { ...response.headers, vary: 'Accept-Language' };
  if (language === 'en' || !response.headers['content-type']?.startsWith('application/json'))
    return { ...response, headers };
  const envelope = JSON.parse(response.body);
  const translated = {
    ...envelope,
    message: typeof envelope.message === 'string' ? toCzech(envelope.message) : envelope.message,
    errors: translateErrors(envelope.errors),
    ...(isDescription ? { response: translateDescription(envelope.response) } : {}),
  };
  return { ...response, headers, body: JSON.stringify(translated) };
}

function translateErrors(errors: unknown): unknown {
  if (typeof errors !== 'object' || errors === null) return errors;
  return Object.fromEntries(
    Object.entries(errors).map(([name, messages]) => [
      name,
      Array.isArray(messages) ? messages.map((message) => toCzech(String(message))) : messages,
    ]),
  );
}

function translateDescription(described: unknown): unknown {
  if (Array.isArray(described)) return described.map(translateDescription);
  if (typeof described !== 'object' || described === null) return described;
  return Object.fromEntries(
    Object.entries(described).map(([key, value]) => [key, translatePart(key, value)]),
  );
}

function translatePart(key: string, value: unknown): unknown {
  if (typeof value === 'string') return TEXT_KEYS.has(key) ? toCzech(value) : value;
  // The labels of choices.
  const isChoices = key === 'values' && typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isChoices) return translateDescription(value);
  return Object.fromEntries(Object.entries(value).map(([choice, label]) => [choice, toCzech(String(label))]));
}

/** Texts without a translation stay English, as on real servers. */
function toCzech(text: string): string {
  const known = CZECH.get(text);
  if (known !== undefined) return known;
  for (const [pattern, translation] of CZECH_MESSAGES)
    if (pattern.test(text)) return text.replace(pattern, translation);
  // A number can have several rules.
  const parts = text.split('; ');
  return parts.length === 1 ? text : parts.map(toCzech).join('; ');
}
