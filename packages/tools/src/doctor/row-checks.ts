// Checks the rows of a list: that their ids are known, that they have what is described, and that it can be represented.
import { getNamedType, isEnumType, isObjectType } from 'graphql';
import { parameterOf, resourceOf } from '../../../../src/index.ts';
import type { JsonObject } from '../output/values.ts';
import type { Check } from './check-lists.ts';
import {
  describeFailure,
  failureOf,
  finding,
  type Observation,
  override,
  refusedInputs,
} from './observation.ts';
import type { Association, ProbedList } from './probed-list.ts';

/** Rows that are read with associations. */
const ROWS = 25;

/** Finds rows whose path ids are in neither the row, its metadata nor the path of the list. */
export const checkIds: Check = ({ list, sample: { rows } }) => {
  if (list.action.name !== 'index') return [];
  const unknown = rows.filter((row) => list.idsOf(row) === null);
  if (unknown.length === 0) return [];
  const detail = `the ids of objects cannot be known from the list; their paths have ${list.placeholders.join(', ')}`;
  return [finding(detail, `${unknown.length} of ${rows.length} rows`, remedyForIds(list, rows))];
};

/** Names an output that may be the id: one whose values differ in all rows. */
function remedyForIds(list: ProbedList, rows: readonly JsonObject[]): string {
  const send = 'let the API send path_params in the metadata of rows';
  const candidate = list.action.output.parameters.find(({ name, type }) => {
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
  const show = list.action.name === 'index' ? list.show : null;
  const described = [list.action, show].flatMap((action) => action?.output.parameters ?? []);
  const names = [...new Set(described.map(({ name }) => name))];
  const unsent = (seen: readonly JsonObject[]): readonly string[] =>
    names.filter((name) => !seen.some((one) => name in one));
  if (unsent(rows).length === 0) return [];
  const ends = [...new Set([rows[0], rows.at(-1)])].filter((row) => row !== undefined);
  const answers = show === null ? [] : await Promise.all(ends.map((row) => list.showRow(row).catch(ignore)));
  const shown = answers.filter((one) => one !== null);
  // An object that cannot be read may have them.
  if (show !== null && shown.length === 0) return [];
  const places = `${rows.length} rows${shown.length === 0 ? '' : ` and ${shown.length} answers of ${show?.scope}`}`;
  const remedy = 'do not select the field, which is null; let the API describe only what it sends';
  return unsent([...rows, ...shown]).map((name) =>
    finding(`the output "${name}" is described, and never sent`, `absent in ${places}`, remedy),
  );
};

function ignore(error: unknown): null {
  failureOf(error);
  return null;
}

/** Finds integers that a JavaScript number cannot hold, and values that an enum lacks. */
export const checkValues: Check = ({ list, sample: { rows }, schema }) => {
  const path = list.resource.path.join('.');
  const rowType = Object.values(schema.getTypeMap()).find((one) => resourceOf(one)?.join('.') === path);
  if (!isObjectType(rowType)) return [];
  return Object.values(rowType.getFields()).flatMap((field): readonly Observation[] => {
    const { name = '' } = parameterOf(field) ?? {};
    const type = getNamedType(field.type);
    const values = rows.map((row) => row[name]);
    const count = (isWrong: (value: unknown) => boolean) => values.filter(isWrong).length;
    const large = type.name === 'SafeInt' ? count(isBeyondSafe) : 0;
    const known = new Set(isEnumType(type) ? type.getValues().map(({ value }) => value) : []);
    const unknown = known.size === 0 ? 0 : count((value) => typeof value === 'string' && !known.has(value));
    if (large > 0) {
      const remedy = `override "bigInts": ${JSON.stringify([`${rowType.name}.${field.name}`])}`;
      const detail = `the integers of the output "${name}" are beyond 2^53, and an error in each such row`;
      return [finding(detail, `${large} of ${rows.length} rows`, remedy)];
    }
    if (unknown === 0) return [];
    const remedy = `override "enumValues": { ${JSON.stringify(type.name)}: [the values] }`;
    const detail = `rows have values of "${name}" that are not described`;
    return [finding(detail, `${unknown} of ${rows.length} rows`, remedy)];
  });
};

/** Whether a value is an integer that a number cannot hold. The client of the API reads some as objects with their digits. */
const isBeyondSafe = (value: unknown): boolean =>
  (Number.isInteger(value) && !Number.isSafeInteger(value)) ||
  (typeof value === 'object' && value !== null && /^-?\d{16,}$/.test(String(value)));

/** Reads the list with all associations at once, and one by one if that fails. */
export const checkIncludes: Check = async ({ list, sample }) => {
  const { associations } = list;
  if (associations.length === 0) return [];
  const limit = sample.limit === null ? {} : { limit: Math.min(ROWS, sample.limit) };
  const check = async (included: readonly Association[]): Promise<readonly Observation[] | null> => {
    try {
      await list.read({ ...limit, includes: included.map(({ name }) => name) });
      return [];
    } catch (error) {
      const failure = failureOf(error);
      if (refusedInputs(failure) === null) throw error;
      const [only] = included;
      return included.length > 1 || only === undefined
        ? null
        : [failing(only.name, describeFailure(failure))];
    }
  };
  const together = await check(associations);
  if (together !== null) return together;
  return (await Promise.all(associations.map((one) => check([one])))).flatMap((seen) => seen ?? []);
};

const failing = (name: string, failure: string): Observation =>
  finding(
    `the list fails with the association "${name}" included, and can be read without`,
    `includes=${name}: ${failure}`,
    'Optiongraph reads it again without, and the associated objects by calls of their own; repair it in the API',
  );
