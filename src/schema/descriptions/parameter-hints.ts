// Finds what a description says of a value only at another parameter of the same name and resource.
import type { Parameter, Validators } from '../../upstream/description/description.ts';
import type { Model } from '../model/model.ts';

/** A unit in a label or description: `in MiB`, `Timeout (seconds)`, `Number of seconds`. */
const UNIT =
  /(?:\bin |[([]|^number of )(bytes|[KMGTkmgt]i?B|[kKMG]bit\/s|[kKMG]bps|seconds|minutes|hours|days|weeks|months|years|ms|milliseconds|percent|%)(?![\w%])/i;

/** The hints of one schema. */
export class ParameterHints {
  readonly #hints = new Map<Parameter, string>();

  constructor(model: Model) {
    for (const { actions } of model.values()) {
      const byName = new Map<string, Parameter[]>();
      for (const { input, output } of actions)
        for (const parameter of [...input.parameters, ...output.parameters]) {
          const known = byName.get(parameter.name);
          if (known === undefined) byName.set(parameter.name, [parameter]);
          else known.push(parameter);
        }
      for (const parameters of byName.values()) if (parameters.some(isNumber)) this.#collect(parameters);
    }
  }

  /** What the description of a parameter should add; null for nothing. */
  hintFor(parameter: Parameter): string | null {
    return this.#hints.get(parameter) ?? null;
  }

  #collect(parameters: readonly Parameter[]): void {
    const units = new Set(parameters.map(unitOf).filter((unit) => unit !== null));
    const [unit] = units;
    const isSwitch = parameters.some(
      (parameter) => parameter.type !== 'Resource' && allowsZeroAndOne(parameter.validators),
    );
    for (const parameter of parameters) {
      if (!isNumber(parameter)) continue;
      if (isSwitch && parameter.type === 'Integer') this.#hints.set(parameter, '0 or 1.');
      else if (unit !== undefined && units.size === 1 && unitOf(parameter) === null)
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
