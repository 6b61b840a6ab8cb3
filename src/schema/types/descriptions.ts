// Writes the SDL descriptions of actions and parameters.

import type { Action, Parameter, Validators } from '../../upstream/description/description.ts';

/** Builds the option `description` of a parameter's field: its label, text, default and validation rules. */
export function describeParameter(
  parameter: Parameter,
  direction: 'input' | 'output',
): { description?: string } {
  const parts = [titleOf(parameter)];
  if (parameter.type === 'Resource') {
    parts.push(`Refers to \`${parameter.resource.join('.')}\`.`);
  } else if (direction === 'input') {
    if (parameter.default !== null) {
      parts.push(`If omitted, the API uses \`${JSON.stringify(parameter.default)}\`.`);
    }
    const rules = describeValidators(parameter.validators);
    if (rules.length > 0) parts.push(`Rules: ${rules.join('; ')}.`);
  }
  const description = paragraphs(parts);
  return description === '' ? {} : { description };
}

/** Builds an action's description: its text, its scope, its method and path, and whether it needs authentication or blocks. */
export function describeAction(action: Action): string {
  const facts = [
    `\`${action.scope}\``,
    `\`${action.method} ${action.path.text}\``,
    ...(action.auth ? [] : ['no authentication required']),
    ...(action.blocking ? ['blocking'] : []),
  ];
  return paragraphs([action.description, facts.join(' · ')]);
}

/** Joins the parts that are not empty into paragraphs. SDL cannot contain lone surrogates, which JSON can. */
export function paragraphs(parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== '')
    .join('\n\n')
    .toWellFormed();
}

function titleOf({ label, description }: Parameter): string {
  return paragraphs([label === description ? null : label, description]);
}

function describeValidators(rules: Validators): string[] {
  const { accept, present, confirm, include, exclude, format, length, number, custom } = rules;
  return [
    accept && `must be \`${JSON.stringify(accept.value)}\``,
    present && (present.empty ? 'must be present' : 'must be present and not blank'),
    confirm && `must ${confirm.equal ? 'equal' : 'differ from'} \`${confirm.parameter}\``,
    include && `one of ${include.values.map(({ value }) => `\`${String(value)}\``).join(', ')}`,
    exclude && `not one of ${exclude.values.map((value) => `\`${String(value)}\``).join(', ')}`,
    format && (format.description ?? `must ${format.match ? '' : 'not '}match \`${format.rx}\``),
    length && `length ${bounds(length.equals ?? length.min, length.equals ?? length.max)}`,
    number && (number.min !== null || number.max !== null) && `a number ${bounds(number.min, number.max)}`,
    number?.step != null && `in steps of ${number.step}`,
    number?.mod != null && `divisible by ${number.mod}`,
    number?.even && 'even',
    number?.odd && 'odd',
    custom,
  ].filter((rule): rule is string => typeof rule === 'string' && rule !== '');
}

function bounds(min: number | null, max: number | null): string {
  if (min === max) return `exactly ${min}`;
  if (max === null) return `of at least ${min}`;
  return min === null ? `of at most ${max}` : `from ${min} to ${max}`;
}
