// Reads from the examples of an action what they show of outputs that are only described as JSON.
import { isObject } from '../json.ts';
import type { Action, Shape } from './description.ts';

const NONE: Action['examples'] = new Map();

/** Reads the values that examples of successful calls show of those outputs which the description says nothing else about. */
export function parseExamples(raw: unknown, { parameters }: Shape): Action['examples'] {
  const custom = parameters.filter(({ type }) => type === 'Custom');
  if (custom.length === 0 || !Array.isArray(raw)) return NONE;
  const rows = raw.flatMap((example) =>
    isObject(example) && example['status'] !== false ? [example['response']].flat() : [],
  );
  const values = custom.map(({ name }) => {
    const shown = rows.flatMap((row) => (isObject(row) && Object.hasOwn(row, name) ? [row[name]] : []));
    return [name, shown] as const;
  });
  return new Map(values.filter(([, shown]) => shown.length > 0));
}
