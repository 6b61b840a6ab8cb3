// Writes the SDL descriptions of actions and parameters.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Validators } from '../../upstream/description/parse-validators.ts';
import { pathKey } from '../model/model.ts';
import { capitalize } from '../names/naming.ts';

/**
 * Builds the Pothos options of a parameter's field: its text, label, default and validation rules, whether it is deprecated, and its origin.
 * @param direction Whether it chooses what is read, is written to something new or to an object that exists, or is answered.
 * @param addition A further sentence. Default: none.
 */
export function describeParameter(
  parameter: Parameter,
  direction: 'filter' | 'input' | 'change' | 'output',
  addition = '',
): { description?: string; deprecationReason?: string; extensions: { parameter: Parameter } } {
  const { name, label, deprecated, required } = parameter;
  const isOfFilter = direction !== 'filter' && SELECTION[direction].test(parameter.description ?? '');
  const parts = [explain(isOfFilter ? null : parameter.description, label, name), addition];
  // The type of an output says to what it refers.
  if (parameter.type === 'Resource') {
    if (direction !== 'output') parts.push(`Refers to \`${parameter.resource.join('.')}\`.`);
  } else if (direction !== 'output') {
    if (parameter.default !== null) {
      const value = codeOf(JSON.stringify(parameter.default));
      // An omitted value of an object that exists may stay as it is.
      parts.push(
        direction === 'change' ? `Described default: ${value}.` : `If omitted, the API uses ${value}.`,
      );
    }
    const rules = describeValidators(parameter.validators);
    if (rules.length > 0) parts.push(`Rules: ${rules.join('; ')}.`);
  }
  // GraphQL does not allow a required input to be deprecated.
  const isDeprecated = deprecated !== null && !(direction !== 'output' && required);
  const description = paragraphs(parts);
  return {
    ...(description === '' ? {} : { description }),
    ...(isDeprecated ? { deprecationReason: deprecated } : {}),
    extensions: { parameter },
  };
}

/** Builds an action's description: its text, its scope, its method and path, and whether it needs authentication or blocks. */
export function describeAction(action: Action): string {
  const facts = [
    codeOf(action.scope),
    `\`${action.method} ${action.path.text}\``,
    ...(action.auth ? [] : ['no authentication required']),
    ...(action.blocking ? ['blocking'] : []),
  ];
  return paragraphs([action.description, facts.join(' · ')]);
}

/** Describes the type of a resource. @param isRead Whether an action reads its objects. */
export function describeResource(path: readonly string[], text: string | null, isRead: boolean): string {
  const reference = `The resource \`${pathKey(path)}\`.`;
  return paragraphs([text, isRead ? reference : `${reference} The API describes only references to it.`]);
}

/** Describes the enum of parameters. @param places The dotted paths of their resources with their names. */
export const describeValues = (places: readonly string[]): string =>
  `The values of ${places.map(codeOf).join(', ')} that the API describes.`;

/** Marks a name of the API as code. SDL cannot contain lone surrogates, which JSON can. */
export function codeOf(name: string): string {
  return `\`${name.toWellFormed()}\``;
}

/** Joins the parts that are not empty into paragraphs, without lone surrogates. */
export function paragraphs(parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null && part !== '')
    .join('\n\n')
    .toWellFormed();
}

/** Joins the words of an upstream name, e.g. `Created at`. */
function humanize(name: string): string {
  const words = name.replaceAll(/([a-z])(?=[A-Z])/g, '$1_').split(/[_\s]+/);
  const text = words
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase();
  return capitalize(text);
}

/** Returns the words of a resource's name, those in capitals that a text about it has in capitals, e.g. `DNS record`. */
export function wordsFor(name: string, text: string): string {
  const acronyms = new Map(
    (text.match(/\b[A-Z][A-Z0-9]+\b/g) ?? []).map((word) => [word.toLowerCase(), word]),
  );
  const words = humanize(name).toLowerCase().split(' ');
  return words.map((word) => acronyms.get(word) ?? word).join(' ');
}

/** Whether two texts have the same letters and digits. */
export const haveSameLetters = (a: string, b: string): boolean => lettersOf(a) === lettersOf(b);

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');

/** How the text of a filter begins. Servers also give this text to other parameters of the same name, some of which may be limits. */
const SELECTION = {
  input: /^\s*filter\b/i,
  change: /^\s*filter\b/i,
  output: /^\s*(?:filter|search|limit|(?:show|list|include|return|display) (?:only|all))\b/i,
};

/** Returns the text, with the label where it says more than the name and the text. Null where there is nothing but the name. */
function explain(text: string | null, label: string | null, name: string): string | null {
  const title = label === null || lettersOf(label) === '' ? humanize(name) : cleanLabel(label);
  const nameLetters = lettersOf(name);
  const titleLetters = lettersOf(title);
  const textLetters = lettersOf(text ?? '');
  const isName = titleLetters === nameLetters;
  if (text === null || textLetters === '' || textLetters === nameLetters) return isName ? null : title;
  return isName || textLetters.includes(titleLetters) ? text : paragraphs([text, `Label: ${title}.`]);
}

/** Makes words of a label that is the name of a parameter or resource, such as `Created_at` or `ClusterResource`. */
const cleanLabel = (label: string): string =>
  !/\s/.test(label) && /_|[a-z][A-Z]/.test(label) ? humanize(label) : label;

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
