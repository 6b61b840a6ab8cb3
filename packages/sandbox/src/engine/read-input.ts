// Reads the input and metadata of a call: picks, coerces and validates the parameters of a request.
import { coerce, InvalidValue, inspect, isNullInput } from './coercion.ts';
import type { Association, BoundLayout, CallMeta, Errors, Input, Parameters } from './definition.ts';
import { findFailures, type Validators } from './validate-value.ts';

/** Invalid input. `errors` is empty when the input is not an object of parameters. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly errors: Errors;

  constructor(message: string, errors: Errors = {}) {
    super(message);
    this.errors = errors;
  }
}

/** Whether the row that an association refers to exists and the caller may see it. */
export type RowExists = (association: Association, id: number) => boolean;

const PRESENT: Validators = { present: {} };

/** Returns the validators of a parameter. A required parameter also has the validator `present`. */
export function effectiveValidators(parameter: {
  readonly required?: boolean;
  readonly validators?: Validators;
}): Validators {
  const { validators = {} } = parameter;
  if (!parameter.required) return validators;
  return parameter.validators ? (validatorsWithPresence.get(validators) ?? addPresence(validators)) : PRESENT;
}

const validatorsWithPresence = new WeakMap<Validators, Validators>();

function addPresence(validators: Validators): Validators {
  const all = { ...PRESENT, ...validators };
  validatorsWithPresence.set(validators, all);
  return all;
}

/**
 * Reads the input of an action from a request: picks, coerces and validates its parameters.
 * @throws InvalidInput with the errors of every parameter.
 */
export function readInput(layout: BoundLayout, request: unknown, rowExists: RowExists): Input {
  const raw = isFields(request) ? request[layout.namespace] : undefined;
  const anyRequired = Object.values(layout.parameters).some((parameter) => parameter.required);
  if (raw === undefined || raw === null ? anyRequired : !isFields(raw))
    throw new InvalidInput('invalid input layout');
  return readParameters(layout.parameters, isFields(raw) ? raw : {}, rowExists);
}

/** Reads the global metadata of a request. @throws InvalidInput when it is not valid. */
export function readMeta(parameters: Parameters, request: unknown): CallMeta {
  const raw = (isFields(request) ? request['_meta'] : undefined) ?? {};
  if (!isFields(raw)) throw new InvalidInput('invalid input layout');
  const meta = readParameters(parameters, raw, () => false);
  return {
    isOmitted: meta.get('no') === true,
    count: meta.get('count') === true,
    includes: meta.has('includes') ? readIncludes(meta.get('includes')) : [],
  };
}

/** Coerces and validates values. Ignores unknown names. @throws InvalidInput with the errors of every parameter. */
export function readParameters(
  parameters: Parameters,
  raw: Readonly<Record<string, unknown>>,
  rowExists: RowExists,
): Input {
  const input = new Map<string, unknown>();
  const errors: Record<string, readonly string[]> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (parameter.required && (given === undefined || given === null)) {
      errors[name] = ['required parameter is missing'];
    } else if (given === undefined) {
      if (parameter.type !== 'Resource' && parameter.fillsDefault) input.set(name, parameter.default ?? null);
    } else {
      try {
        const value =
          parameter.type === 'Resource'
            ? readAssociation(parameter, given, rowExists)
            : coerce(parameter, given);
        input.set(name, value);
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        errors[name] = [error.message];
      }
    }
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.type === 'Resource' || name in errors || (input.get(name) ?? null) === null) continue;
    const messages = findFailures(effectiveValidators(parameter), input.get(name), input);
    if (messages.length > 0) errors[name] = messages;
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput('input parameters are not valid', errors);
  return input;
}

function readAssociation(association: Association, raw: unknown, rowExists: RowExists): number | null {
  if (isNullInput(association, raw)) return null;
  const digits = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw.trim() : '';
  if (!/^\+?[0-9]+$/.test(digits)) throw new InvalidValue(`not a valid ID: ${inspect(raw)}`);
  const id = Number(digits);
  if (!rowExists(association, id)) throw new InvalidValue('resource not found');
  return id;
}

function readIncludes(raw: unknown): readonly string[] {
  const names: unknown = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(names)) throw invalidIncludes('includes must be a string or array');
  return names.map((name: unknown) => {
    if (typeof name !== 'string') throw invalidIncludes('includes must contain only strings');
    return name.trim();
  });
}

function invalidIncludes(message: string): InvalidInput {
  return new InvalidInput('input parameters are not valid', { includes: [message] });
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
