// Reads the words of questions and schemas. Knows general verbs and nouns that mean the same, and no API's own words.
import synonyms from './synonyms.json' with { type: 'json' };

/** Words that are passed over. */
const ARTICLES = /^(a|an|the|my|me|our|this|that)$/;
/** Words that count only as a part of others, such as `log in`. */
const STOP_WORDS =
  /^(i|we|it|its|is|am|are|was|were|be|do|does|did|to|of|in|on|at|for|from|by|with|and|or|all|any|there|have|has|had|now|can|could|please|many|much|want|need|would|like|over|which|what|who|when|where|why|how)$/;
/** The first words of questions that ask for no change. */
const ASKING = /^(which|what|who|when|where|why|how|is|are|do|does|has|have|list|show|find|get|see|read)\b/i;

/** Returns a word without the ending of its plural, participle or gerund. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  const singular = word.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');
  const base = singular.replace(/(..[^aeiou])(ing|ed)$/, '$1').replace(/([bdgmnpt])\1$/, '$1');
  return base.replace(/e$/, '');
}

/** Splits texts and camel case into words in lower case. */
export function wordsOf(text: string): string[] {
  const parted = text.replace(/([a-z\d])([A-Z])/g, '$1 $2');
  return parted.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
}

const initialsOf = (words: readonly string[]): string => words.map(([first]) => first).join('');

/** Reads groups of words with one meaning. `log in` is one word here; of words joined by `_`, the initials count. */
function readGroups(groups: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const meanings = new Map<string, string[]>();
  for (const group of groups.map((words) => words.split(' '))) {
    const words = group.map((word) => (word.includes('_') ? initialsOf(word.split('_')) : stem(word)));
    for (const word of words) meanings.set(word, [...(meanings.get(word) ?? []), ...words]);
  }
  return meanings;
}

const [changes, things] = [readGroups(synonyms.changes), readGroups(synonyms.things)];
const meaningsOf = (word: string) => [...(changes.get(word) ?? []), ...(things.get(word) ?? [])];

/**
 * Reads the terms of a question: each a word, which may be empty, and others in its place. Two or three words in a row may also be
 * one, such as `log in`, or be known by their initials.
 */
export function readQuestion(question: string) {
  const all = wordsOf(question).filter((word) => !ARTICLES.test(word));
  const terms = all.flatMap((own, index) => {
    const rows = [2, 3].map((count) => all.slice(index, index + count));
    const joined = rows.map((row) => row.map(stem).join(''));
    const isPart = joined.some((one) => meaningsOf(one).length > 0);
    const word = isPart || STOP_WORDS.test(own) ? '' : stem(own);
    const meant = [word, ...joined].flatMap(meaningsOf);
    const [, undone] = (meant.length === 0 && /^un(.{4,})/.exec(word)) || [];
    if (undone) return [undone, 'delet'].map((one) => ({ word: one, others: meaningsOf(one) }));
    return word || meant.length > 0 ? [{ word, others: [...meant, ...joined, ...rows.map(initialsOf)] }] : [];
  });
  const isAsking = ASKING.test(question);
  const isChange = terms.some(({ word, others }) => [word, ...others].some((one) => changes.has(one)));
  return { terms, isAsking, isChange };
}
