// Builds HTML from templates that escape every value, because most texts are those of another server.

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes. Null is nothing, and the items of a list follow each other. */
export type Content = string | number | Html | null | readonly Content[];

/** Builds HTML. Values belong into text or into quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings.reduce((text, part, index) => text + toText(values[index - 1] ?? null) + part));
}

function toText(content: Content): string {
  if (content === null) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(toText).join('');
  return String(content).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Puts a separator between contents. */
export const joinWith = (separator: Content, contents: readonly Content[]): Content =>
  contents.map((content, index) => (index === 0 ? content : [separator, content]));

/** Puts commas between contents. */
export const commaList = (contents: readonly Content[]): Content => joinWith(', ', contents);
