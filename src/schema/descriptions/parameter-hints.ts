// Finds what a description says of a value only at another parameter of the same name and resource.
import type { Parameter } from '../../upstream/description/description.ts';
import type { Validators } from '../../upstream/description/parse-validators.ts';
import type { Model } from '../model/model.ts';

/** A unit in a label or description: `in MiB`, `in MiB/s`, `Timeout (seconds)`, `Number of seconds`. */
const UNIT =
  /(?:\bin |[([]|^number of )(bytes|[KMGTkmgt]i?B(?:\/s(?:ec(?:ond)?)?)?|[kKMG]bit\/s(?:ec(?:ond)?)?|[kKMG]bps|seconds|minutes|hours|days|weeks|months|years|ms|milliseconds|percent|%)(?![\w%/])/i;

/** The hints of one schema. */
export class ParameterHints {
  readonly #hints = new Map<Parameter, string>();

  constructor(model: Model) {
    for (const { actions } of model.values()) {
      const shapes = actions.flatMap(({ input, output }) => [input, output]);
      const byName = new Map<string, Parameter[]>();
      for (const { parameters } of shapes)
        for (const parameter of parameters) if (isNumber(parameter)) byName.set(parameter.name, []);
      for (const { parameters } of shapes)
        for (const parameter of parameters) byName.get(parameter.name)?.push(parameter);
      for (const alike of byName.values()) this.#collect(alike);
    }
  }

  /** What the description of a parameter should add; null for nothing. */
  hintFor(parameter: Parameter): string | null {
    return this.#hints.get(parameter) ?? null;
  }

  /** @param alike The parameters of one name. */
  #collect(alike: readonly Parameter[]): void {
    const ownUnits = alike.map(unitOf);
    const [unit = null, ...others] = new Set(ownUnits.filter((own) => own !== null));
    const isSwitch = alike.some(
      (parameter) => parameter.type !== 'Resource' && allowsZeroAndOne(parameter.validators),
    );
    if (!isSwitch && (unit === null || others.length > 0)) return;
    for (const [index, parameter] of alike.entries()) {
      if (!isNumber(parameter)) continue;
      if (isSwitch && parameter.type === 'Integer') this.#hints.set(parameter, '0 or 1.');
      else if (unit !== null && others.length === 0 && ownUnits[index] === null)
        this.#hints.set(parameter, `In ${unit}.`);
    }
  }
}

const isNumber = ({ type }: Parameter): boolean => type === 'Integer' || type === 'Float';

const unitOf = ({ label, description }: Parameter): string | null =>
  UNIT.exec(label ?? '')?.[1] ?? UNIT.exec(description ?? '')?.[1] ?? null;

function allowsZeroAndOne({ include, number }: Validators): boolean {
  if (number?.min === 0 && number.max === 1) return true;
  const values = (include?.values ?? []).map(({ value }) => String(value));
  return values.length === 2 && values.includes('0') && values.includes('1');
}
