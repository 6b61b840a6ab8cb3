// Validates values and describes validators.
import type { Value } from './definition.ts';
import { fromRubyRegExp } from './from-ruby-regexp.ts';

/** The validators of a parameter. The default of each `message` is the message of the specification. */
export interface Validators {
  readonly accept?: { readonly value: Value; readonly message?: string };
  readonly confirm?: { readonly parameter: string; readonly equal?: boolean; readonly message?: string };
  readonly exclude?: { readonly values: readonly Value[]; readonly message?: string };
  readonly format?: {
    readonly rx: string;
    readonly match?: boolean;
    readonly description?: string | null;
    readonly message?: string;
  };
  readonly include?: {
    readonly values: readonly Value[] | Readonly<Record<string, string>>;
    readonly message?: string;
  };
  readonly length?: {
    readonly min?: number;
    readonly max?: number;
    readonly equals?: number;
    readonly message?: string;
  };
  readonly number?: {
    readonly min?: number;
    readonly max?: number;
    readonly step?: number;
    readonly mod?: number;
    readonly odd?: boolean;
    readonly even?: boolean;
    readonly message?: string;
  };
  readonly present?: { readonly empty?: boolean; readonly message?: string };
}

/** A validator that is ready to use. */
interface Check {
  readonly name: keyof Validators;
  readonly described: Readonly<Record<string, unknown>>;
  /** The error message. `%{value}` stands for the refused value. */
  readonly message: string;
  accepts(value: unknown, input: ReadonlyMap<string, unknown>): boolean;
}

const checksByValidators = new WeakMap<Validators, readonly Check[]>();

/** Describes validators. */
export function describeValidators(validators: Validators): Readonly<Record<string, unknown>> {
  return Object.fromEntries(checksFor(validators).map((check) => [check.name, check.described]));
}

/** Returns the messages of the validators that a coerced value fails, in the order of their names. */
export function findFailures(
  validators: Validators,
  value: unknown,
  input: ReadonlyMap<string, unknown>,
): readonly string[] {
  return checksFor(validators)
    .filter((check) => !check.accepts(value, input))
    .map((check) => check.message.replaceAll('%{value}', () => String(value)));
}

function checksFor(validators: Validators): readonly Check[] {
  const cached = checksByValidators.get(validators);
  if (cached) return cached;
  const created = [
    accept(validators.accept),
    confirm(validators.confirm),
    exclude(validators.exclude),
    format(validators.format),
    include(validators.include),
    length(validators.length),
    number(validators.number),
    present(validators.present),
  ].filter((check) => check !== undefined);
  checksByValidators.set(validators, created);
  return created;
}

function accept(rule: Validators['accept']): Check | undefined {
  if (!rule) return undefined;
  const { value } = rule;
  return {
    name: 'accept',
    described: { value, message: rule.message ?? `must be ${value}` },
    // The description holds the accepted value. The reference server puts the refused value into its error message.
    message: rule.message ?? 'must be %{value}',
    accepts: (given) => given === value,
  };
}

function confirm(rule: Validators['confirm']): Check | undefined {
  if (!rule) return undefined;
  const { parameter, equal = true } = rule;
  const message = rule.message ?? `must be ${equal ? 'the same as' : 'different from'} ${parameter}`;
  return {
    name: 'confirm',
    described: { equal, parameter, message },
    message,
    accepts: (given, input) => (given === input.get(parameter)) === equal,
  };
}

function exclude(rule: Validators['exclude']): Check | undefined {
  if (!rule) return undefined;
  const { values, message = '%{value} cannot be used' } = rule;
  const refused = new Set<unknown>(values);
  return {
    name: 'exclude',
    described: { values, message },
    message,
    accepts: (given) => !refused.has(given),
  };
}

function format(rule: Validators['format']): Check | undefined {
  if (!rule) return undefined;
  const { rx, match = true, description = null } = rule;
  const message = rule.message ?? description ?? '%{value} is not in a valid format';
  const pattern = fromRubyRegExp(rx);
  return {
    name: 'format',
    described: { rx, match, description, message },
    message,
    accepts: (given) => typeof given === 'string' && pattern.test(given) === match,
  };
}

function include(rule: Validators['include']): Check | undefined {
  if (!rule) return undefined;
  const { values, message = '%{value} cannot be used' } = rule;
  const accepted = new Set<unknown>(Array.isArray(values) ? values : Object.keys(values));
  return {
    name: 'include',
    described: { values, message },
    message,
    accepts: (given) => accepted.has(given),
  };
}

function length(rule: Validators['length']): Check | undefined {
  if (!rule) return undefined;
  const { equals, min, max } = rule;
  const message = rule.message ?? lengthMessage(rule);
  const bounds = equals === undefined ? omitUndefined({ min, max }) : { equals };
  return {
    name: 'length',
    described: { message, ...bounds },
    message,
    accepts(given) {
      if (typeof given !== 'string') return false;
      const size = [...given].length;
      if (equals !== undefined) return size === equals;
      return (min === undefined || size >= min) && (max === undefined || size <= max);
    },
  };
}

function lengthMessage({ equals, min, max }: NonNullable<Validators['length']>): string {
  return equals === undefined ? `length ${boundsMessage({ min, max })}` : `length has to be ${equals}`;
}

function number(rule: Validators['number']): Check | undefined {
  if (!rule) return undefined;
  const { message = numberMessage(rule), min, max, step, mod, odd, even } = rule;
  return {
    name: 'number',
    described: { message, ...omitUndefined({ min, max, step, mod, odd, even }) },
    message,
    accepts(given) {
      if (typeof given === 'string' && !/^[0-9]+$/.test(given)) return false;
      if (typeof given !== 'string' && typeof given !== 'number') return false;
      const value = Number(given);
      return (
        (min === undefined || value >= min) &&
        (max === undefined || value <= max) &&
        (step === undefined || (value - (min ?? 0)) % step === 0) &&
        (mod === undefined || value % mod === 0) &&
        (!odd || value % 2 !== 0) &&
        (!even || value % 2 === 0)
      );
    },
  };
}

function numberMessage({ min, max, step, mod, odd, even }: NonNullable<Validators['number']>): string {
  const bounded = min !== undefined || max !== undefined;
  return [
    bounded ? boundsMessage({ min, max }) : 'has to be a number',
    ...(step === undefined ? [] : [`has to be in steps of ${step}`]),
    ...(mod === undefined ? [] : [`remainder after division by ${mod} must be zero`]),
    ...(odd ? ['has to be odd'] : []),
    ...(even ? ['has to be even'] : []),
  ].join('; ');
}

/** The messages of the specification (Errors, 3). */
function boundsMessage(bounds: { readonly min: number | undefined; readonly max: number | undefined }) {
  const { min, max } = bounds;
  if (max === undefined) return `has to be minimally ${min}`;
  return min === undefined ? `has to be maximally ${max}` : `has to be in range <${min}, ${max}>`;
}

function present(rule: Validators['present']): Check | undefined {
  if (!rule) return undefined;
  const { empty = false } = rule;
  const message = rule.message ?? (empty ? 'must be present' : 'must be present and non-empty');
  return {
    name: 'present',
    described: { empty, message },
    message,
    accepts(given) {
      if (given === null || given === undefined) return false;
      return empty || typeof given !== 'string' || given.trim() !== '';
    },
  };
}

function omitUndefined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
