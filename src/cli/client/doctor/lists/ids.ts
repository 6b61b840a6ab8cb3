// Checks that the ids of rows are known.
import { override } from '../check-result.ts';
import type { Check, CheckInput } from './check.ts';

/** Finds rows whose path ids are in neither the row, its metadata nor the path of the list. */
export const checkIds: Check = (input) => {
  const {
    list,
    sample: { rows },
  } = input;
  const { identifiable, identity } = list.resource;
  if (!identifiable || list.action.name !== 'index') return [];
  const unknown = rows.filter((row) => list.idsOf(row) === null);
  if (unknown.length === 0) return [];
  return [
    {
      result: 'finding',
      detail: `the ids of objects cannot be known from the list; their paths have ${identity.placeholders.join(', ')}`,
      example: `${unknown.length} of ${rows.length} rows`,
      remedy: remedyFor(input),
    },
  ];
};

/** Names an output that may be the id: one whose values differ in all rows. */
function remedyFor({ list, sample: { rows } }: CheckInput): string {
  const send = 'let the API send path_params in the metadata of rows';
  const [candidate] = list.action.output.parameters.filter(({ name, type }) => {
    const values = rows.map((row) => row[name]);
    const areIds = values.every((value) => typeof value === 'string' || Number.isSafeInteger(value));
    return (type === 'Integer' || type === 'String') && areIds && new Set(values).size === rows.length;
  });
  if (candidate === undefined || rows.length < 2) return send;
  const given = override('pathIds', list.resource.path.join('.'), candidate.name);
  return `${given}, if this output is the id in the path; else ${send}`;
}
