import { coerce, inspect, isNull, RefusedValue } from './coercion.ts';
import type { Association, BoundLayout, CallMeta, Errors, Input, Parameters } from './definition.ts';
import { failures, type Validators } from './validate-value.ts';

/** Input that an action refuses; without `errors` it was not even a set of parameters. */
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

const required: Validators = { present: {} };

/** The validators of a parameter: its own, and presence where it is required. */
export function validatorsOf(parameter: {
  readonly required?: boolean;
  readonly validators?: Validators;
}): Validators {
  const { validators = {} } = parameter;
  if (!parameter.required) return validators;
  return parameter.validators ? (withPresence.get(validators) ?? remember(validators)) : required;
}

const withPresence = new WeakMap<Validators, Validators>();

function remember(validators: Validators): Validators {
  const all = { ...required, ...validators };
  withPresence.set(validators, all);
  return all;
}

/** Picks, coerces and validates an action's input from a request's; throws InvalidInput with everything that is wrong. */
export function readInput(layout: BoundLayout, request: unknown, rowExists: RowExists): Input {
  const raw = isFields(request) ? request[layout.namespace] : undefined;
  const anyRequired = Object.values(layout.parameters).some((parameter) => parameter.required);
  if (raw === undefined || raw === null ? anyRequired : !isFields(raw))
    throw new InvalidInput('invalid input layout');
  return readParameters(layout.parameters, isFields(raw) ? raw : {}, rowExists);
}

/** Picks, coerces and validates global metadata; throws InvalidInput. */
export function readMeta(parameters: Parameters, request: unknown): CallMeta {
  const raw = (isFields(request) ? request['_meta'] : undefined) ?? {};
  if (!isFields(raw)) throw new InvalidInput('invalid input layout');
  const meta = readParameters(parameters, raw, () => false);
  return {
    no: meta.get('no') === true,
    count: meta.get('count') === true,
    includes: meta.has('includes') ? readIncludes(meta.get('includes')) : [],
  };
}

/** Coerces and validates given values against parameters; throws InvalidInput. Unknown names are ignored. */
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
      if (parameter.type !== 'Resource' && parameter.fill) input.set(name, parameter.default ?? null);
    } else {
      try {
        const value =
          parameter.type === 'Resource' ? refer(parameter, given, rowExists) : coerce(parameter, given);
        input.set(name, value);
      } catch (error) {
        if (!(error instanceof RefusedValue)) throw error;
        errors[name] = [error.message];
      }
    }
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.type === 'Resource' || name in errors || (input.get(name) ?? null) === null) continue;
    const failed = failures(validatorsOf(parameter), input.get(name), input);
    if (failed.length > 0) errors[name] = failed;
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput('input parameters are not valid', errors);
  return input;
}

function refer(association: Association, raw: unknown, rowExists: RowExists): number | null {
  if (isNull(association, raw)) return null;
  const written = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw.trim() : '';
  if (!/^\+?[0-9]+$/.test(written)) throw new RefusedValue(`not a valid ID: ${inspect(raw)}`);
  const id = Number(written);
  if (!rowExists(association, id)) throw new RefusedValue('resource not found');
  return id;
}

function readIncludes(raw: unknown): readonly string[] {
  const names: unknown = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(names)) throw refusedIncludes('includes must be a string or array');
  return names.map((name: unknown) => {
    if (typeof name !== 'string') throw refusedIncludes('includes must contain only strings');
    return name.trim();
  });
}

function refusedIncludes(message: string): InvalidInput {
  return new InvalidInput('input parameters are not valid', { includes: [message] });
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
