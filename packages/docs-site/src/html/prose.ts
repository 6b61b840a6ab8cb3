// Shows texts of the API and of the schema: paragraphs in which only code is marked.
import { type Content, type Html, html } from './html.ts';

/** Converts a text to paragraphs. */
export const paragraphs = (text: string | null | undefined): readonly Html[] =>
  (text ?? '')
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== '')
    .map((part) => html`<p>${inline(part)}</p>`);

/** Converts a text to one line. Only what stands between backticks is marked, so that nothing else of a text can change the page. */
export function inline(text: string): Content {
  // The parts at odd places stood between backticks.
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
}

/** A number of things: `1 read`, `2 reads`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The first sentence of a text without marks, shortened to a length. */
export function summarize(text: string | null | undefined, length = 140): string {
  const [paragraph = ''] = (text ?? '').trim().split(/\n\s*\n/);
  const [sentence = ''] = paragraph
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?]) /);
  return sentence.length > length ? `${sentence.slice(0, length - 1).trimEnd()}…` : sentence;
}
