import type { Parameter, Validators } from './description.ts';
import type { JsonObject } from './reader.ts';
import { translateRubyRegexp } from './ruby-regexp.ts';
import { coerce, toText } from './type-rules.ts';

/** What is wrong with a value. */
export type ValidationCode =
  | 'REQUIRED'
  | 'NULL_NOT_ALLOWED'
  | 'TYPE_MISMATCH'
  | 'NOT_ACCEPTED'
  | 'NOT_INCLUDED'
  | 'EXCLUDED'
  | 'FORMAT'
  | 'TOO_SHORT'
  | 'TOO_LONG'
  | 'WRONG_LENGTH'
  | 'TOO_SMALL'
  | 'TOO_LARGE'
  | 'STEP'
  | 'CONFIRMATION'
  | 'INVALID';

/** One value that breaks one described rule. */
export interface ValidationFailure {
  readonly parameter: string;
  readonly code: ValidationCode;
  /** In the protocol's words, `%{value}` filled in. */
  readonly message: string;
}

/** Checks an input by upstream names; an absent key is omitted, null is null. Finds all failures at once. */
export type Validate = (input: JsonObject) => readonly ValidationFailure[];

type Rule = (value: unknown, input: JsonObject) => ValidationCode | null;
type Told = Omit<ValidationFailure, 'parameter'>;

/**
 * Works out the checks of an input once.
 * @param report Told what JavaScript cannot check, which is left to the server.
 */
export function compileValidation(
  parameters: readonly Parameter[],
  report: (parameter: string, reason: string) => void,
): Validate {
  const rulesOf = new Map(
    parameters.map((parameter) => [
      parameter,
      parameter.type === 'Resource'
        ? []
        : compileRules(parameter.validators, (reason) => report(parameter.name, reason)),
    ]),
  );
  return (input) => {
    // Rules that compare two parameters see both as the server reads them, so all are read first.
    const read = new Map(
      parameters.map((parameter) => [parameter.name, readInput(parameter, input[parameter.name])]),
    );
    const values = Object.fromEntries(
      [...read].flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])),
    );
    return parameters.flatMap((parameter) => {
      const { value, failure } = read.get(parameter.name) ?? {};
      const told = failure
        ? [failure]
        : value == null
          ? []
          : breach(rulesOf.get(parameter) ?? [], value, values);
      return told.map((one) => ({ parameter: parameter.name, ...one }));
    });
  };
}

/** A value as the server will read it, or why it will refuse it; neither for an omitted one. */
function readInput(
  parameter: Parameter,
  value: unknown,
): { readonly value?: unknown; readonly failure?: Told } {
  if (parameter.required && (value === undefined || value === null)) {
    return { failure: { code: 'REQUIRED', message: 'required parameter is missing' } };
  }
  if (value === undefined) return {};
  if (value === null) {
    // Where the description does not say whether null is allowed, the server has to.
    return parameter.nullable === false
      ? { failure: { code: 'NULL_NOT_ALLOWED', message: 'cannot be null' } }
      : { value: null };
  }
  const coerced = coerce(parameter, value);
  return coerced.ok
    ? { value: coerced.value }
    : { failure: { code: 'TYPE_MISMATCH', message: coerced.message } };
}

/** The rules that a value breaks. */
function breach(rules: readonly CompiledRule[], value: unknown, input: JsonObject): readonly Told[] {
  return rules.flatMap(({ rule, message }) => {
    const code = rule(value, input);
    return code === null ? [] : [{ code, message: message.replaceAll('%{value}', () => toText(value)) }];
  });
}

interface CompiledRule {
  readonly rule: Rule;
  readonly message: string;
}

function compileRules(validators: Validators, report: (reason: string) => void): readonly CompiledRule[] {
  const { accept, present, confirm, include, exclude, format, length, number } = validators;
  const rules: CompiledRule[] = [];
  const add = (message: string, rule: Rule): void => void rules.push({ rule, message });
  if (accept) add(accept.message, (value) => (isSame(value, accept.value) ? null : 'NOT_ACCEPTED'));
  if (present) add(present.message, (value) => (present.empty || !isBlank(value) ? null : 'REQUIRED'));
  if (confirm) {
    add(confirm.message, (value, input) =>
      isSame(value, input[confirm.parameter]) === confirm.equal ? null : 'CONFIRMATION',
    );
  }
  if (include) {
    add(include.message, (value) =>
      include.values.some((choice) => isSame(value, choice.value)) ? null : 'NOT_INCLUDED',
    );
  }
  if (exclude)
    add(exclude.message, (value) =>
      exclude.values.some((other) => isSame(value, other)) ? 'EXCLUDED' : null,
    );
  if (format) {
    const pattern = translateRubyRegexp(format.rx);
    if (pattern === null) {
      report(
        `JavaScript has no word for the regular expression ${JSON.stringify(format.rx)}; left to the server`,
      );
    } else {
      add(format.message, (value) =>
        typeof value === 'string' && pattern.test(value) === format.match ? null : 'FORMAT',
      );
    }
  }
  if (length) add(length.message, lengthRule(length));
  if (number) add(number.message, numberRule(number));
  return rules;
}

function lengthRule({ min, max, equals }: NonNullable<Validators['length']>): Rule {
  return (value) => {
    if (typeof value !== 'string') return 'WRONG_LENGTH';
    const length = [...value].length;
    if (equals !== null) return length === equals ? null : 'WRONG_LENGTH';
    if (min !== null && length < min) return 'TOO_SHORT';
    return max !== null && length > max ? 'TOO_LONG' : null;
  };
}

function numberRule({ min, max, step, mod, even, odd }: NonNullable<Validators['number']>): Rule {
  return (value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number') return 'TYPE_MISMATCH';
    if (min !== null && number < min) return 'TOO_SMALL';
    if (max !== null && number > max) return 'TOO_LARGE';
    const isOff =
      (step !== null && (number - (min ?? 0)) % step !== 0) ||
      (mod !== null && number % mod !== 0) ||
      (even && number % 2 !== 0) ||
      (odd && number % 2 === 0);
    return isOff ? 'STEP' : null;
  };
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** Equal as the server compares: numbers by value, and text never with a number. */
function isSame(value: unknown, other: unknown): boolean {
  return (
    value === other || (value === undefined && other === null) || (value === null && other === undefined)
  );
}
