// Reads whether an action or parameter is deprecated.
import { type JsonObject, textOf } from '../json.ts';

/** Descriptions say it at their beginning, also in brackets: `Deprecated, use …`, `[DEPRECATED] …`. */
const DEPRECATED_TEXT = /^[\s[(*]*deprecated\b/i;

/** What is said of a deprecation without a reason. */
const NO_REASON = 'The API describes it as deprecated.';

/** Returns why an action or parameter is deprecated: by its key `deprecated`, which may hold a reason, or by its text. Null if it is not. */
export function parseDeprecation(raw: JsonObject): string | null {
  const { deprecated, description } = raw;
  const text = textOf(description)?.toWellFormed() ?? '';
  if (typeof deprecated === 'string' && deprecated.trim() !== '') return deprecated.toWellFormed();
  if (DEPRECATED_TEXT.test(text)) return text;
  return deprecated === true ? NO_REASON : null;
}
