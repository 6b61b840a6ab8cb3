// Decides which Integer parameters are `BigInt`.
import type { Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import { memo } from '../memo.ts';
import type { ResourceModel } from '../model/model.ts';
import { fieldNameOf } from '../names/naming.ts';
import { BIG_INT } from './scalars.ts';

/**
 * The Integer parameters of one schema that may exceed 2^53−1: those that the overrides name, and those that have such
 * bounds in any input or output of the resource. Inputs and outputs of a name have the same type.
 */
export class BigIntegers {
  readonly #overridden: ReadonlySet<string>;
  readonly #describedIn = memo(({ actions }: ResourceModel) => {
    const parameters = actions.flatMap(({ input, output }) => [...input.parameters, ...output.parameters]);
    return new Set(parameters.filter(hasBigBounds).map(({ name }) => name));
  });
  /** Adds the scalar to the schema when it is first needed. */
  readonly #declare = memo(({ builder }: Assembly) => builder.addScalarType('BigInt', BIG_INT));
  readonly #assembly: Assembly;

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#overridden = new Set(assembly.overrides.bigInts);
  }

  /** Whether a parameter is `BigInt`. Then the schema has the scalar. */
  has(resource: ResourceModel, parameter: Parameter): boolean {
    if (parameter.type !== 'Integer') return false;
    const isDescribed = this.#describedIn(resource).has(parameter.name);
    if (!isDescribed && !this.#overridden.has(coordinateOf(resource, parameter))) return false;
    this.#declare(this.#assembly);
    return true;
  }

  /** What the error of an Integer beyond 2^53−1 advises: the override that makes the parameter `BigInt`. */
  remedyFor(resource: ResourceModel, parameter: Parameter): string {
    return ` If it is usual, set "bigInts": ["${coordinateOf(resource, parameter)}"] in the overrides.`;
  }
}

/** The name of a parameter in the overrides: the type of its resource, and the field, e.g. `Shelf.size`. */
const coordinateOf = ({ typeName }: ResourceModel, { name }: Parameter): string =>
  `${typeName}.${fieldNameOf(name)}`;

function hasBigBounds(parameter: Parameter): boolean {
  if (parameter.type !== 'Integer') return false;
  const { min = null, max = null } = parameter.validators.number ?? {};
  return [min, max].some((bound) => bound !== null && Math.abs(bound) > Number.MAX_SAFE_INTEGER);
}
