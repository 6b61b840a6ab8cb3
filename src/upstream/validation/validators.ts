// Compiles the described validators of an input into one function.
import type { Parameter, Validators } from '../description/description.ts';
import { numberOnWire, print } from './ruby-values.ts';
import { coerceInput } from './type-rules.ts';
import * as rules from './validator-rules.ts';

/** Stable codes of the reasons why a value is refused. */
export const VALIDATION_CODES = [
  'REQUIRED',
  'NULL_NOT_ALLOWED',
  'TYPE_MISMATCH',
  'NOT_ACCEPTED',
  'NOT_INCLUDED',
  'EXCLUDED',
  'FORMAT',
  'TOO_SHORT',
  'TOO_LONG',
  'WRONG_LENGTH',
  'TOO_SMALL',
  'TOO_LARGE',
  'STEP',
  'CONFIRMATION',
  'INVALID',
] as const;

/** One of {@link VALIDATION_CODES}. */
export type ValidationCode = (typeof VALIDATION_CODES)[number];

/** A reason for which the server refuses an input. */
export interface ValidationFailure {
  /** Upstream name of the parameter. */
  readonly parameter: string;
  readonly code: ValidationCode;
  /** The server's message, with the value filled in. */
  readonly message: string;
}

/** Checks an input by upstream names. An absent or undefined key is an omitted parameter. */
export type Validation = (input: Readonly<Record<string, unknown>>) => readonly ValidationFailure[];

interface DescribedCheck {
  readonly check: rules.Check;
  readonly rule: { readonly message: string };
}

/** Stands for a value that only the server can determine. */
const UNDECIDED = Symbol('undecided');

/**
 * Compiles the checks of an input. The returned function finds all failures, in the order of the parameters.
 * @param report Called for each check that only the server can perform.
 */
export function compileValidation(
  parameters: readonly Parameter[],
  report: (parameter: string, reason: string) => void,
): Validation {
  const names = new Set(parameters.map(({ name }) => name));
  const compiled = parameters.map((parameter) => ({
    parameter,
    checks:
      parameter.type === 'Resource'
        ? []
        : compileChecks(parameter.validators, names, (reason) => report(parameter.name, reason)),
    valuesWhenOmitted: valuesWhenOmitted(parameter),
  }));
  return (input) => {
    const refusals = new Map<string, ValidationFailure>();
    const values = new Map<string, unknown>();
    for (const { parameter } of compiled) {
      const given = Object.hasOwn(input, parameter.name) ? input[parameter.name] : undefined;
      const { value, failure } = coerceValue(parameter, given);
      values.set(parameter.name, value);
      if (failure !== null) refusals.set(parameter.name, { parameter: parameter.name, ...failure });
    }
    const other = (name: string): readonly unknown[] | null => {
      const value = values.get(name);
      if (value === UNDECIDED) return null;
      if (value !== undefined) return [value];
      return compiled.find(({ parameter }) => parameter.name === name)?.valuesWhenOmitted ?? [null];
    };
    return compiled.flatMap(({ parameter: { name: parameter }, checks }) => {
      const refusal = refusals.get(parameter);
      if (refusal !== undefined) return [refusal];
      const value = values.get(parameter);
      if (value === undefined || value === null || value === UNDECIDED) return [];
      return checks.flatMap(({ check, rule }) => {
        const code = check(value, other);
        return code === null ? [] : [failureOf(parameter, code, rule, value)];
      });
    });
  };
}

type Refusal = Omit<ValidationFailure, 'parameter'>;

/** Converts a given value as the server does before validation. A refused value stays unchanged. */
function coerceValue(parameter: Parameter, given: unknown): { value: unknown; failure: Refusal | null } {
  if (given === undefined || given === null) {
    if (parameter.required) {
      return { value: given, failure: { code: 'REQUIRED', message: 'required parameter is missing' } };
    }
    const isRefused = given === null && parameter.nullable === false;
    return {
      value: given,
      failure: isRefused ? { code: 'NULL_NOT_ALLOWED', message: 'cannot be null' } : null,
    };
  }
  const coerced = coerceInput(parameter, given);
  switch (coerced.kind) {
    case 'value':
      return { value: coerced.value, failure: null };
    case 'null':
      return { value: null, failure: null };
    case 'undecided':
      return { value: UNDECIDED, failure: null };
    case 'refused':
      return {
        value: typeof given === 'number' ? numberOnWire(given) : given,
        failure: { code: 'TYPE_MISMATCH', message: coerced.message },
      };
  }
}

/** The possible values of an omitted parameter on the server: null, or its default. */
function valuesWhenOmitted(parameter: Parameter): readonly unknown[] {
  if (parameter.type === 'Resource' || parameter.default === null || parameter.default === undefined) {
    return [null];
  }
  const coerced = coerceInput(parameter, parameter.default);
  return coerced.kind === 'value' ? [null, coerced.value] : [null];
}

function compileChecks(
  validators: Validators,
  names: ReadonlySet<string>,
  report: (reason: string) => void,
): readonly DescribedCheck[] {
  return Object.keys(validators).flatMap((name) => {
    const rule = validators[name as keyof Validators];
    if (rule === undefined || typeof rule === 'string') return [];
    const check = compileCheck(name, validators, names);
    if (typeof check !== 'string') return [{ check, rule }];
    report(`${name}: ${check}; left to the server`);
    return [];
  });
}

/** @returns The check, or the reason why only the server can perform it. */
function compileCheck(
  name: string,
  { accept, present, confirm, include, exclude, format, length, number }: Validators,
  names: ReadonlySet<string>,
): rules.Check | string {
  if (name === 'accept' && accept) return rules.accept(accept);
  if (name === 'present' && present) return rules.present(present);
  if (name === 'include' && include) return rules.include(include);
  if (name === 'exclude' && exclude) return rules.exclude(exclude);
  if (name === 'length' && length) return rules.length(length);
  if (name === 'number' && number) {
    return number.step === 0 || number.mod === 0 ? 'a step of 0' : rules.number(number);
  }
  if (name === 'confirm' && confirm) {
    const { parameter } = confirm;
    return names.has(parameter) ? rules.confirm(confirm) : `there is no parameter ${parameter}`;
  }
  if (name === 'format' && format) {
    return (
      rules.format(format) ?? 'the regular expression is not one of the simple ones that are checked here'
    );
  }
  return 'a validator that the protocol does not know';
}

function failureOf(
  parameter: string,
  code: ValidationCode,
  rule: DescribedCheck['rule'],
  value: unknown,
): ValidationFailure {
  return { parameter, code, message: fill(rule.message, value) };
}

const fill = (message: string, value: unknown): string =>
  (message || 'is not valid').replaceAll('%{value}', () => print(value));
