// Finds the words that several names have in common, for what they share.
import { wordsOf } from './naming.ts';

/** Returns the words, in their order, that all names have. */
export function commonWordsOf([first = '', ...others]: readonly string[]): readonly string[] {
  return others.reduce((words, other) => longestCommon(words, wordsOf(other)), wordsOf(first));
}

/** Returns the longest sequence of words that both have, if not without gaps. */
function longestCommon(one: readonly string[], other: readonly string[]): readonly string[] {
  let row: readonly (readonly string[])[] = other.map(() => []);
  for (const word of one) {
    const next: (readonly string[])[] = [];
    for (const [at, candidate] of other.entries()) {
      const left = next[at - 1] ?? [];
      const above = row[at] ?? [];
      const both = candidate === word ? [...(row[at - 1] ?? []), word] : [];
      next.push([both, above, left].reduce((best, words) => (words.length > best.length ? words : best)));
    }
    row = next;
  }
  return row.at(-1) ?? [];
}
