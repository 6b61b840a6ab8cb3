/** A described path: fixed text with placeholders, written `{name}` (protocol 2) or `:name` (protocol 1). */
export interface PathTemplate {
  /** As described, e.g. `/v1.0/books/{book_id}`. Safe to log: it holds no values. */
  readonly text: string;
  /** Names of the placeholders, in path order. */
  readonly placeholders: readonly string[];
  /** Fixed text around the placeholders; always one more than there are placeholders. */
  readonly literals: readonly string[];
}

const PLACEHOLDER = /\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g;

/** Parses a described path; null when it is no path of the API's own origin (absolute, foreign, or with dot segments). */
export function parsePathTemplate(text: string): PathTemplate | null {
  if (!text.startsWith('/') || text.startsWith('//') || /[\s?#\\]/.test(text)) return null;
  if (text.split('/').some((segment) => segment === '.' || segment === '..')) return null;
  const placeholders: string[] = [];
  const literals: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    literals.push(text.slice(end, match.index));
    placeholders.push(match[1] ?? match[2] ?? '');
    end = match.index + match[0].length;
  }
  literals.push(text.slice(end));
  return { text, placeholders, literals };
}

/** Fills a template; each value becomes one percent-encoded segment. Expects one value a placeholder. */
export function fillPath(template: PathTemplate, values: readonly string[]): string {
  return template.literals.reduce(
    (path, literal, index) => path + encodeURIComponent(values[index - 1] ?? '') + literal,
  );
}

/** Whether a value can stand as one path segment: not empty, and not one that servers read as "here" or "up". */
export function isPathValue(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && value.isWellFormed();
}

/** The last fixed segment of a path, e.g. `books`. */
export function lastFixedSegment(template: PathTemplate): string {
  const segments = template.literals.join('/').split('/');
  return segments.filter((segment) => segment !== '').at(-1) ?? '';
}
