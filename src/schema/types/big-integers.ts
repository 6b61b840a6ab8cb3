// Decides which Integer parameters are `BigInt`.
import type { Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { memo } from '../memo.ts';
import type { ResourceModel } from '../model/model.ts';
import { fieldNameOf } from '../names/naming.ts';
import { BIG_INT } from './scalars.ts';

/**
 * The Integer parameters of one schema that may exceed 2^53−1: those that the overrides name, and those that have such
 * bounds in any input or output of the resource. Inputs and outputs of a name have the same type.
 */
export class BigIntegers {
  readonly #assembly: Assembly;
  readonly #overridden: ReadonlySet<string>;
  readonly #describedIn = memo(({ actions }: ResourceModel) => {
    const parameters = actions.flatMap(({ input, output }) => [...input.parameters, ...output.parameters]);
    return new Set(parameters.filter(hasBigBounds).map(({ name }) => name));
  });
  #isDeclared = false;

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#overridden = new Set(assembly.overrides.bigInts);
  }

  /** Whether a parameter is `BigInt`. Then the schema has the scalar. */
  has(resource: ResourceModel, parameter: Parameter): boolean {
    if (parameter.type !== 'Integer') return false;
    const isBig =
      this.#describedIn(resource).has(parameter.name) ||
      (this.#overridden.size > 0 && this.#overridden.has(coordinateOf(resource, parameter)));
    if (isBig && !this.#isDeclared) {
      this.#assembly.builder.addScalarType('BigInt', BIG_INT);
      this.#isDeclared = true;
    }
    return isBig;
  }

  /** What the error of an Integer beyond 2^53−1 advises: the override that makes the parameter `BigInt`. */
  remedyFor(resource: ResourceModel, parameter: Parameter): string {
    return ` If it is usual, set "bigInts": ["${coordinateOf(resource, parameter)}"] in the overrides.`;
  }
}

/** The name of a parameter in the overrides: the type of its resource, and the field, e.g. `Shelf.size`. */
export const coordinateOf = ({ typeName }: ResourceModel, { name }: Parameter): string =>
  `${typeName}.${fieldNameOf(name)}`;

function hasBigBounds(parameter: Parameter): boolean {
  if (parameter.type !== 'Integer') return false;
  const { min = null, max = null } = parameter.validators.number ?? {};
  return [min, max].some((bound) => bound !== null && Math.abs(bound) > Number.MAX_SAFE_INTEGER);
}
