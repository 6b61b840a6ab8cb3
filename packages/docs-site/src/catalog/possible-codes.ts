// Finds the codes of errors that an action can answer with, beside those of every request.
import { rowTypeOf } from '../../../../src/index.ts';
import type { CatalogAction } from './catalog.ts';
import type { Action, Parameter, Validators } from './description.ts';

/** Whether an action cancels a running one, by the names that the protocol gives both. */
const isCancel = ({ scope }: Action): boolean => scope === 'action_state#cancel';

/** Codes of errors by where clients find them. */
export interface PossibleCodes {
  readonly errors: readonly string[];
  readonly userErrors: readonly string[];
  readonly warnings: readonly string[];
}

/** Lists the codes that the description lets expect. */
export function possibleCodes({ action, isMutation, main }: CatalogAction): PossibleCodes {
  const isList = rowTypeOf(main.field) !== null;
  const hasInput = main.field.args.some(({ name }) => !['first', 'after', 'wait'].includes(name));
  return {
    errors: [
      ...(hasInput ? ['BAD_USER_INPUT'] : []),
      ...(action.auth ? ['FORBIDDEN'] : []),
      ...(action.path.placeholders.length > 0 ? ['NOT_FOUND'] : []),
      ...(isList ? ['PAGINATION_UNSUPPORTED'] : []),
      ...(isMutation ? ['OUTCOME_UNKNOWN'] : []),
    ],
    userErrors: isMutation
      ? [
          ...new Set(action.input.parameters.flatMap(codesOf)),
          ...['RESOURCE_LOCKED', 'CONFLICT', 'REFUSED'],
          ...(isCancel(action) ? ['NOT_CANCELLABLE'] : []),
          ...(action.blocking ? ['ACTION_FAILED'] : []),
        ]
      : [],
    warnings: [
      ...(isList ? ['COUNT_UNAVAILABLE', 'PAGINATION_EMULATED', 'PAGINATION_UNVERIFIED'] : []),
      ...(isMutation ? ['RESULT_MISSING'] : []),
    ],
  };
}

/** The codes for a parameter that breaks its rules. */
function codesOf(parameter: Parameter): readonly string[] {
  const { nullable, required } = parameter;
  const rules = parameter.type === 'Resource' ? {} : parameter.validators;
  return [
    ...(nullable === false && !required ? ['NULL_NOT_ALLOWED'] : []),
    ...codesOfRules(rules),
    'INVALID',
  ];
}

function codesOfRules(rules: Validators): readonly string[] {
  const { length, number } = rules;
  const codes: Readonly<Record<string, unknown>> = {
    NOT_ACCEPTED: rules.accept,
    REQUIRED: rules.present,
    CONFIRMATION: rules.confirm,
    NOT_INCLUDED: rules.include,
    EXCLUDED: rules.exclude,
    FORMAT: rules.format,
    TOO_SHORT: length?.min,
    TOO_LONG: length?.max,
    WRONG_LENGTH: length?.equals,
    TOO_SMALL: number?.min,
    TOO_LARGE: number?.max,
    STEP: number?.step ?? number?.mod ?? (number?.even || number?.odd || null),
  };
  return Object.keys(codes).filter((code) => codes[code] !== undefined && codes[code] !== null);
}
