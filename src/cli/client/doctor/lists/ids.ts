// Checks that the ids of rows are known.
import type { Check } from './check.ts';

/** Finds rows whose path ids are in neither the row, its metadata nor the path of the list. */
export const checkIds: Check = ({ list, sample: { rows } }) => {
  const { identifiable, identity } = list.resource;
  if (!identifiable || list.action.name !== 'index') return [];
  const unknown = rows.filter((row) => list.idsOf(row) === null);
  if (unknown.length === 0) return [];
  return [
    {
      result: 'finding',
      detail: `the ids of objects cannot be known from the list; their paths have ${identity.placeholders.join(', ')}`,
      example: `${unknown.length} of ${rows.length} rows`,
      remedy:
        'let the API send the ids as outputs of the same names, or as path_params in the metadata of rows',
    },
  ];
};
