// Checks the rows of a list: that their ids are known, that they have what is described, and that it can be represented.
import { getNamedType, isEnumType, isObjectType } from 'graphql';
import { parameterOf, resourceOf } from '../../../../src/schema/origin.ts';
import { isBeyondSafe } from '../../../../src/schema/types/outputs.ts';
import type { Action } from '../../../../src/upstream/description/description.ts';
import type { JsonObject } from '../../../../src/upstream/json.ts';
import { failureOf, finding, override } from './observation.ts';
import type { Check, CheckInput, ProbedList } from './probed-list.ts';

/** Finds rows whose path ids are in neither the row, its metadata nor the path of the list. */
export const checkIds: Check = (input) => {
  const { list, sample } = input;
  const { identifiable, identity } = list.resource;
  if (!identifiable || list.action.name !== 'index') return [];
  const unknown = sample.rows.filter((row) => list.idsOf(row) === null);
  if (unknown.length === 0) return [];
  return [
    finding(
      `the ids of objects cannot be known from the list; their paths have ${identity.placeholders.join(', ')}`,
      `${unknown.length} of ${sample.rows.length} rows`,
      remedyForIds(input),
    ),
  ];
};

/** Names an output that may be the id: one whose values differ in all rows. */
function remedyForIds({ list, sample: { rows } }: CheckInput): string {
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

/** Finds outputs that neither the rows nor the first and the last object have. */
export const checkOutputs: Check = async ({ list, sample: { rows } }) => {
  const { action, resource } = list;
  const show = action.name === 'index' ? resource.identity.show : null;
  const namesOf = ({ output }: Action): readonly string[] => output.parameters.map(({ name }) => name);
  const described = new Set([...namesOf(action), ...(show === null ? [] : namesOf(show))]);
  const unsent = (seen: readonly JsonObject[]): readonly string[] =>
    [...described].filter((name) => !seen.some((one) => name in one));
  if (rows.length === 0 || unsent(rows).length === 0) return [];
  const shown = show === null ? [] : await showEnds(list, rows);
  // An object that cannot be read may have them.
  if (show !== null && shown.length === 0) return [];
  const places = `${rows.length} rows${shown.length === 0 ? '' : ` and ${shown.length} answers of ${show?.scope}`}`;
  return unsent([...rows, ...shown]).map((name) =>
    finding(
      `the output "${name}" is described, and never sent`,
      `absent in ${places}`,
      'do not select the field, which is null; let the API describe only what it sends',
    ),
  );
};

/** The objects of the first and the last row, as far as they can be read. */
async function showEnds(list: ProbedList, rows: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const ends = [...new Set([rows[0], rows.at(-1)])].filter((row) => row !== undefined);
  const shown = await Promise.all(
    ends.map((row) =>
      list.show(row).catch((error: unknown) => {
        failureOf(error);
        return null;
      }),
    ),
  );
  return shown.filter((one) => one !== null);
}

/** Finds integers that a JavaScript number cannot hold, and values that an enum lacks. */
export const checkValues: Check = ({ list, sample: { rows }, schema }) => {
  const path = list.resource.path.join('.');
  const rowType = Object.values(schema.getTypeMap()).find((one) => resourceOf(one)?.join('.') === path);
  if (!isObjectType(rowType)) return [];
  return Object.values(rowType.getFields()).flatMap((field) => {
    const { name } = parameterOf(field) ?? {};
    const type = getNamedType(field.type);
    const count = (isWrong: (value: unknown) => boolean): number =>
      name === undefined ? 0 : rows.filter((row) => isWrong(row[name])).length;
    const large = type.name === 'SafeInt' ? count(isBeyondSafe) : 0;
    const known = new Set(isEnumType(type) ? type.getValues().map(({ value }) => value) : []);
    const unknown = known.size === 0 ? 0 : count((value) => typeof value === 'string' && !known.has(value));
    return [
      ...(large === 0
        ? []
        : [
            finding(
              `the integers of the output "${name}" are beyond 2^53, and an error in each such row`,
              `${large} of ${rows.length} rows`,
              `override "bigInts": ${JSON.stringify([`${rowType.name}.${field.name}`])}`,
            ),
          ]),
      ...(unknown === 0
        ? []
        : [
            finding(
              `rows have values of "${name}" that are not described`,
              `${unknown} of ${rows.length} rows`,
              `override "enumValues": { ${JSON.stringify(type.name)}: [the values] }`,
            ),
          ]),
    ];
  });
};
