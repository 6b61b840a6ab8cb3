// Finds the fields of a schema that a question is about, and prints them with their types as compact SDL.
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import MiniSearch from 'minisearch';
import { PHRASES, STOP_WORDS, SYNONYMS, WRITE_VERBS } from './synonyms.ts';

/** Fields that an answer names, and characters of an answer; 2,400 characters of SDL are fewer than 900 tokens. */
const HITS = 8;
const SIZE = 2_400;
/** Types of which only the field that leads to them is of interest. */
const OUTCOMES = /(Connection|Edge|Payload|PageInfo)$|^__/;
const SYNONYM_WEIGHT = 0.55;

type Field = GraphQLField<unknown, unknown>;
interface Entry {
  readonly id: string;
  readonly field: Field;
  readonly kind: 'read' | 'write' | 'nested';
}

/** Splits texts and camel case into words in lower case. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\d]+/gu) ?? [];

/** Returns a word without the ending of its plural, participle or gerund. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1')
    .replace(/(..[^aeiou])(ing|ed)$/, '$1')
    .replace(/([bdgmnpt])\1$/, '$1')
    .replace(/e$/, '');
}

const synonyms = new Map<string, string[]>();
for (const group of SYNONYMS.map((words) => words.map(stem)))
  for (const word of group) synonyms.set(word, [...(synonyms.get(word) ?? []), ...group]);
const writeVerbs = new Set([...WRITE_VERBS].map(stem));

const firstLine = (description: string | null | undefined): string => description?.split('\n', 1)[0] ?? '';
/** Returns the label that a description repeats from the API. */
const labelOf = (description: string | null | undefined): string =>
  /^Label: (.*)$/m.exec(description ?? '')?.[1] ?? '';

/** The fields of a schema, by their words. Make one for each schema: it takes a moment. */
export class SchemaIndex {
  readonly #schema: GraphQLSchema;
  readonly #entries = new Map<string, Entry>();
  readonly #search = new MiniSearch<{ id: string } & Record<string, string>>({
    fields: ['name', 'parent', 'summary', 'related'],
    tokenize: wordsOf,
    processTerm: stem,
  });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || OUTCOMES.test(type.name)) continue;
      const kind =
        type === schema.getMutationType() ? 'write' : this.#isRoot(type) ? 'read' : ('nested' as const);
      for (const field of Object.values(type.getFields()))
        this.#entries.set(`${type.name}.${field.name}`, { id: `${type.name}.${field.name}`, field, kind });
    }
    this.#search.addAll([...this.#entries.values()].map((entry) => this.#describe(entry)));
  }

  #isRoot(type: GraphQLNamedType): boolean {
    return type === this.#schema.getQueryType() || type === this.#schema.getSubscriptionType();
  }

  #describe({ id, field, kind }: Entry) {
    const type = getNamedType(field.type);
    const inputs = field.args.flatMap((argument) => {
      const named = getNamedType(argument.type);
      return [argument.name, ...(isInputObjectType(named) ? Object.keys(named.getFields()) : [])];
    });
    const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    return {
      id,
      name: field.name,
      parent: kind === 'nested' ? (id.split('.', 1)[0] ?? '') : '',
      summary: `${firstLine(field.description)} ${labelOf(field.description)}`,
      related: [type.name, firstLine(type.description), ...inputs, ...values].join(' '),
    };
  }

  /** Returns the coordinates of the fields that a question is likely about, the likeliest first. */
  find(question: string): readonly string[] {
    const text = PHRASES.reduce((left, [phrase, word]) => left.replace(phrase, word), question.toLowerCase());
    const words = wordsOf(text).filter((word) => !STOP_WORDS.has(word));
    const wantsWrite = words.slice(0, 2).some((word) => writeVerbs.has(stem(word)));
    const queries = words.map((word, index) => {
      const same = stem(word);
      const initials = initialsOf(words, index);
      return {
        combineWith: 'OR' as const,
        queries: [
          { queries: [same], prefix: same.length > 3 },
          {
            queries: [...(synonyms.get(same) ?? []).filter((other) => other !== same), ...initials],
            boostTerm: () => SYNONYM_WEIGHT,
          },
        ],
      };
    });
    const found = this.#search.search(
      { combineWith: 'OR', queries },
      {
        boost: { name: 3, summary: 2, parent: 1.2, related: 0.5 },
        boostDocument: (id) => this.#weigh(String(id), wantsWrite),
        tokenize: (term) => [term],
        processTerm: (term) => term,
      },
    );
    return oneOfEach(found.map(({ id }) => String(id))).slice(0, HITS);
  }

  #weigh(id: string, wantsWrite: boolean): number {
    const { kind } = this.#entries.get(id) ?? {};
    if (kind === 'write') return wantsWrite ? 1.8 : 0.5;
    return kind === 'read' ? 1.3 : 0.9;
  }

  /** Prints what a question is about: a type or field that it names, else the fields found and their types, as far as there is room. */
  answer(question: string): string {
    const named = this.#schema.getType(question.trim());
    if (named) return print(named).slice(0, SIZE);
    const exact = this.#entries.has(question.trim()) ? [question.trim()] : null;
    const hits = (exact ?? this.find(question)).flatMap((id) => this.#entries.get(id) ?? []);
    if (hits.length === 0) return 'Nothing found. Use other words, or the name of a type.';
    const lines = hits.map(({ id, field }) => printField(id, field));
    const types = new Set(hits.flatMap(({ field }) => [...this.#typesOf(field)]));
    return fill(lines, [...types].map(print));
  }

  /** The types that are needed to use a field: inputs, and the object in its list or payload. */
  *#typesOf(field: Field): Iterable<GraphQLNamedType> {
    for (const argument of field.args) {
      const input = getNamedType(argument.type);
      if (isInputObjectType(input)) yield input;
    }
    const type = getNamedType(field.type);
    const node = this.#schema.getType(type.name.replace(/Connection$/, ''));
    const shown = node ?? type;
    if (isObjectType(shown) || isEnumType(shown)) yield shown;
  }
}

/** Returns patterns of an abbreviation that two adjacent words may have: `real time` is `rt`; a letter may stand between. */
function initialsOf(words: readonly string[], index: number): string[] {
  const [first = '', second = ''] = words.slice(index, index + 2);
  if (second === '') return [];
  return [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `${first[0]}${letter}${second[0]}`);
}

/** Keeps two fields of one name, of which lists below many types would fill an answer. */
function oneOfEach(ids: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return ids.filter((id) => {
    const name = id.split('.')[1] ?? '';
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return (seen.get(name) ?? 0) <= 2;
  });
}

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

function printField(id: string, { args, type, description }: Field): string {
  const given = args.map((argument) => `${argument.name}: ${argument.type}`).join(', ');
  return `${id}${given && `(${given})`}: ${type} # ${shorten(firstLine(description), 70)}`;
}

/** Prints a type in one line, with the rules of inputs. */
function print(type: GraphQLNamedType): string {
  if (isEnumType(type))
    return `enum ${type.name} { ${type
      .getValues()
      .map(({ name }) => name)
      .join(' ')} }`;
  if (!isInputObjectType(type) && !isObjectType(type)) return `${type}: ${firstLine(type.description)}`;
  const fields: (GraphQLInputField | Field)[] = Object.values(type.getFields());
  const isInput = isInputObjectType(type);
  const printed = fields.map((field) => {
    const enumType = getNamedType(field.type);
    const values = isInput && isEnumType(enumType) ? enumType.getValues().map(({ name }) => name) : [];
    const rule = isInput ? [shorten(ruleOf(field.description), 60), values.slice(0, 12).join('|')] : [];
    const note = rule.filter(Boolean).join(' ');
    return `${field.name}: ${field.type}${note && ` /* ${note} */`}`;
  });
  return `${isInput ? 'input' : 'type'} ${type.name} { ${printed.join(', ')} }`;
}

const ruleOf = (description: string | null | undefined): string =>
  (description ?? '').split('\n').filter(Boolean).join(' ');

/** Joins lines, and the blocks that have room after them; the last is cut. */
function fill(lines: readonly string[], blocks: readonly string[]): string {
  let text = lines.join('\n');
  const left: string[] = [];
  for (const block of blocks) {
    const room = SIZE - text.length - 120;
    if (block.length <= room) text += `\n${block}`;
    else if (left.length === 0 && room > 300) {
      text += `\n${block.slice(0, block.lastIndexOf(', ', room))}, …`;
      left.push(block.split(' ', 2)[1] ?? '');
    } else left.push(block.split(' ', 2)[1] ?? '');
  }
  return left.length === 0 ? text : `${text}\nSearch by name for all of: ${shorten(left.join(', '), 100)}`;
}
