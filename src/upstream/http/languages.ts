// Reads the languages that a request asks for.
import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-bounds.ts';

/** The language in which the operator's description is fetched, unless the operator chooses another one. */
export const DEFAULT_LANGUAGE = 'en';

/** The header in which the upstream expects the language, unless it chooses another one. */
export const LANGUAGE_HEADER = 'accept-language';

/** How the upstream is asked for texts in a language. */
export interface LanguageOptions {
  /** The operator's language. Default: English. */
  readonly language?: string;
  /** The header in which the upstream expects the language, in lower case. Default: `accept-language`. */
  readonly languageHeader?: string;
}

/** Languages of one request that are considered. Browsers send two for each language of a reader. */
const MAX_LANGUAGES = 6;
/** Characters of a header that are read. */
const MAX_LENGTH = 200;

const known = new LRUCache<string, readonly string[]>({ ...atMost(1_000), memoMethod: parse });

/**
 * The tags of `Accept-Language`, the most wanted first, at most six: in lower case, without `*` and refused ones. What is no tag is
 * left out.
 */
export const readLanguages = (header: string): readonly string[] => known.memo(header.slice(0, MAX_LENGTH));

/** Whether texts in a language are texts in a wanted one: it is the same, or the wanted one is its form in one region. */
export const isLanguage = (language: string, wanted: string): boolean =>
  wanted === language || wanted.startsWith(`${language}-`);

/** Whether a text is the tag of a language, such as `cs` or `pt-BR`. */
export const isLanguageTag = (text: string): boolean => TAG.test(text);

/** A language with its script, region or variant (RFC 5646), without extensions. */
const TAG = /^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,3}$/i;

function parse(header: string): readonly string[] {
  const wanted = header.split(',').flatMap((item) => {
    const [tag = '', weight = '1'] = item.split(/;\s*q=/i).map((part) => part.trim());
    return isLanguageTag(tag) && Number(weight) > 0
      ? [{ tag: tag.toLowerCase(), weight: Number(weight) }]
      : [];
  });
  const sorted = wanted.toSorted((one, other) => other.weight - one.weight).map(({ tag }) => tag);
  return [...new Set(sorted)].slice(0, MAX_LANGUAGES);
}
