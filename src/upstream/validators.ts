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
  const checks = parameters.map((parameter) => ({
    name: parameter.name,
    check: compileParameter(parameter, (reason) => report(parameter.name, reason)),
  }));
  return (input) =>
    checks.flatMap(({ name, check }) =>
      check(input[name], input).map((told) => ({ parameter: name, ...told })),
    );
}

function compileParameter(
  parameter: Parameter,
  report: (reason: string) => void,
): (value: unknown, input: JsonObject) => readonly Told[] {
  const rules = parameter.type === 'Resource' ? [] : compileRules(parameter.validators, report);
  return (value, input) => {
    if (parameter.required && (value === undefined || value === null)) {
      return [{ code: 'REQUIRED', message: 'required parameter is missing' }];
    }
    if (value === undefined) return [];
    if (value === null) {
      // Where the description does not say whether null is allowed, the server has to.
      return parameter.nullable === false ? [{ code: 'NULL_NOT_ALLOWED', message: 'cannot be null' }] : [];
    }
    const coerced = coerce(parameter, value);
    if (!coerced.ok) return [{ code: 'TYPE_MISMATCH', message: coerced.message }];
    if (coerced.value === null) return [];
    return rules.flatMap(({ rule, message }) => {
      const code = rule(coerced.value, input);
      return code === null
        ? []
        : [{ code, message: message.replaceAll('%{value}', () => toText(coerced.value)) }];
    });
  };
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
