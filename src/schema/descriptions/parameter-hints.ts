// Finds what a description says of a value only at another parameter of the same name and resource.
import type { Parameter } from '../../upstream/description/description.ts';
import type { Validators } from '../../upstream/description/parse-validators.ts';
import { groupBy } from '../memo.ts';
import type { Model } from '../model/model.ts';

/** A unit in a label or description: `in MiB`, `in MiB/s`, `Timeout (seconds)`, `Number of seconds`. */
const UNIT =
  /(?:\bin |[([]|^number of )(bytes|[KMGTkmgt]i?B(?:\/s(?:ec(?:ond)?)?)?|[kKMG]bit\/s(?:ec(?:ond)?)?|[kKMG]bps|seconds|minutes|hours|days|weeks|months|years|ms|milliseconds|percent|%)(?![\w%/])/i;

/** Returns what the descriptions of parameters should add. */
export function findHints(model: Model): ReadonlyMap<Parameter, string> {
  const hints = new Map<Parameter, string>();
  for (const { actions } of model.values()) {
    const all = actions.flatMap(({ input, output }) => [...input.parameters, ...output.parameters]);
    for (const alike of groupBy(all, ({ name }) => name).values()) addHints(hints, alike);
  }
  return hints;
}

/** @param alike The parameters of one name. */
function addHints(hints: Map<Parameter, string>, alike: readonly Parameter[]): void {
  const numbers = alike.filter(isNumber);
  if (numbers.length === 0) return;
  const [unit = null, ...others] = new Set(alike.map(unitOf).filter((own) => own !== null));
  const isSwitch = alike.some(
    (parameter) => parameter.type !== 'Resource' && allowsZeroAndOne(parameter.validators),
  );
  for (const parameter of numbers)
    if (isSwitch && parameter.type === 'Integer') hints.set(parameter, '0 or 1.');
    else if (unit !== null && others.length === 0 && unitOf(parameter) === null)
      hints.set(parameter, `In ${unit}.`);
}

const isNumber = ({ type }: Parameter): boolean => type === 'Integer' || type === 'Float';

const unitOf = ({ label, description }: Parameter): string | null =>
  UNIT.exec(label ?? '')?.[1] ?? UNIT.exec(description ?? '')?.[1] ?? null;

function allowsZeroAndOne({ include, number }: Validators): boolean {
  if (number?.min === 0 && number.max === 1) return true;
  const values = (include?.values ?? []).map(({ value }) => String(value));
  return values.length === 2 && values.includes('0') && values.includes('1');
}
