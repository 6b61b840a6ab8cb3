// Checks that the API sends what it describes.
import { OptiongraphError } from '../../../../upstream/errors.ts';
import type { JsonObject } from '../../../../upstream/json.ts';
import type { Check } from './check.ts';
import type { ProbedList } from './probed-list.ts';

/** Objects that are read by `show`. */
const SHOWN = 2;

/** Finds outputs that neither the rows nor their objects have. */
export const checkFields: Check = async ({ list, sample: { rows } }) => {
  const { action, resource } = list;
  const show = action.name === 'index' ? resource.identity.show : null;
  const described = new Set([action, ...(show === null ? [] : [show])].flatMap(outputsOf));
  const unsent = (seen: readonly JsonObject[]): readonly string[] =>
    [...described].filter((name) => !seen.some((one) => name in one));
  if (rows.length === 0 || unsent(rows).length === 0) return [];
  const shown = show === null ? [] : await showSome(list, rows);
  // An object that cannot be read may have them.
  if (show !== null && shown.length === 0) return [];
  return unsent([...rows, ...shown]).map((name) => ({
    result: 'finding',
    detail: `the output "${name}" is described, and never sent`,
    example: `absent in ${rows.length} rows${shown.length === 0 ? '' : ` and ${shown.length} answers of ${show?.scope}`}`,
    remedy: 'do not select the field, which is null; let the API describe only what it sends',
  }));
};

const outputsOf = ({ output }: ProbedList['action']): readonly string[] =>
  output.parameters.map(({ name }) => name);

/** The objects of the first and the last row. */
async function showSome(list: ProbedList, rows: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const chosen = [...new Set([rows[0], rows.at(-1)])].filter((row) => row !== undefined).slice(0, SHOWN);
  const shown = await Promise.all(
    chosen.map((row) =>
      list.show(row).catch((error: unknown) => {
        if (error instanceof OptiongraphError) return null;
        throw error;
      }),
    ),
  );
  return shown.filter((one) => one !== null);
}
