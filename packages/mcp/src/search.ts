// Finds the fields of a schema that a question is about, and prints them with their types as compact SDL.
import { setImmediate as pause } from 'node:timers/promises';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  printType,
} from 'graphql';
import MiniSearch from 'minisearch';
import { readQuestion, stem, wordsOf } from './words.ts';

type Field = GraphQLField<unknown, unknown>;

/** Fields that an answer names, and characters of an answer and of a type in it. 2,800 of SDL are fewer than 900 tokens. */
const HITS = 8;
const SIZE = 2_800;
const TYPE_SIZE = 900;
/** Types of which only the field that leads to them is of interest. */
const WRAPPERS = /(Connection|Edge|Payload|PageInfo)$|^__/;

/** Makes the search of a schema, in parts between which other work is done. */
export async function createSearch(schema: GraphQLSchema) {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const listed = types.filter(({ name }) => !WRAPPERS.test(name));
  const fieldsOf = (type: (typeof types)[number]): readonly (readonly [string, Field])[] =>
    Object.values(type.getFields()).map((field) => [`${type}.${field.name}`, field]);
  const fields = new Map(listed.flatMap(fieldsOf));
  const options = { fields: ['name', 'summary', 'related'], tokenize: wordsOf, processTerm: stem };
  const index = new MiniSearch<ReturnType<typeof describe>>(options);
  for (const entry of fields) {
    index.add(describe(entry));
    if (index.documentCount % 50 === 0) await pause();
  }

  /** Returns the coordinates of the fields that a question is likely about, the likeliest first. */
  const find = (question: string): readonly string[] => {
    const { words, isAsking } = readQuestion(question);
    const queries = words.flatMap(({ word, others }) => [
      { queries: [word], prefix: word.length > 3 },
      { queries: others.filter((other) => other !== word), boostTerm: () => 0.55 },
    ]);
    const weightOf = (id: string): number =>
      id.startsWith('Mutation.') ? (isAsking ? 0.5 : 1.6) : /^(Query|Subscription)\./.test(id) ? 1.3 : 0.9;
    const boost = { name: 3, summary: 2, related: 0.5 };
    const asIs = { tokenize: (term: string) => [term], processTerm: (term: string) => term };
    const found = index.search({ queries }, { boost, boostDocument: weightOf, ...asIs }).slice(0, 50);
    const names = found.map(({ id }) => stem(id.split('.')[1]));
    // Lists below many types have one name, and would fill an answer.
    const isRare = (_: unknown, at: number) =>
      names.slice(0, at).filter((name) => name === names[at]).length < 2;
    return found
      .filter(isRare)
      .slice(0, HITS)
      .map(({ id }) => id);
  };

  /** Prints a type or a field that is named, else the fields that a question is about, with their types. */
  const answer = (question: string): string => {
    const [, name = '', part = '1'] = /^\s*([\w.]+)(?: (\d+))?\s*$/.exec(question) ?? [];
    const type = schema.getType(name);
    if (type) return partOf(print(type), Number(part), `${name} ${Number(part) + 1}`);
    const ids = fields.has(name) ? [name] : find(question);
    if (ids.length === 0) return 'Nothing found. Use other words, or the name of a type.';
    const hits = ids.flatMap((id) => fields.get(id) ?? []);
    const lines = hits.map((field, at) => `${ids[at]}${printField(field)}`);
    const needed = [...new Set(hits.flatMap(typesOf))].map((one) => shorten(print(one), TYPE_SIZE));
    return partOf([...lines, ...needed].join('\n'), 1, 'the name of a type');
  };
  return { find, answer };
}

function describe([id, field]: readonly [string, Field]) {
  const type = rowTypeOf(field);
  const label = /^Label: (.*)$/m.exec(field.description ?? '')?.[1] ?? '';
  // The fields of rows tell what a list at the root is about. Below other types, they are found for themselves.
  const related = typesOf(field).filter((one) => one !== type || id.startsWith('Query.') || isEnumType(one));
  return {
    id,
    name: field.name,
    summary: `${firstLine(field.description)} ${label}`,
    related: `${id.split('.')[0]} ${type} ${firstLine(type.description)} ${related.map(print).join(' ')}`,
  };
}

/** Returns the type of a field; of a list, that of its rows. */
function rowTypeOf({ type: given }: Field): GraphQLNamedType {
  const type = getNamedType(given);
  return getNamedType((isObjectType(type) && type.getFields()['nodes']?.type) || type);
}

/** Lists the types that are needed to use a field: its inputs with their enums, and what it returns. */
function typesOf(field: Field): readonly GraphQLNamedType[] {
  const inputs = field.args.map(({ type }) => getNamedType(type));
  const nested = inputs.filter(isInputObjectType).flatMap((input) => Object.values(input.getFields()));
  const enums = nested.map(({ type }) => getNamedType(type)).filter(isEnumType);
  return [...inputs, ...enums, rowTypeOf(field)].filter((type) => !isScalarType(type));
}

function printField({ args, type, description }: Field): string {
  const given = args.map((argument) => `${argument.name}: ${argument.type}`).join(', ');
  return `${given && `(${given})`}: ${type} # ${shorten(firstLine(description), 70)}`;
}

/** Prints a type as SDL in one line, with the rules of inputs. */
function print(type: GraphQLNamedType): string {
  const noteOf = (_: string, text: string): string =>
    isInputObjectType(type) ? `"${shorten(text.trim().replaceAll('"', "'"), 60)}"` : '';
  const text = printType(type).replace(/^"""[\s\S]*?"""/, '');
  return text
    .replaceAll(/"""([\s\S]*?)"""/g, noteOf)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const firstLine = (text: string | null | undefined): string => text?.split('\n', 1)[0] ?? '';
const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** Returns a part of a text. @param more What to search for to see what follows. */
function partOf(text: string, part: number, more: string): string {
  const rest = text.slice((part - 1) * SIZE);
  return rest.length <= SIZE ? rest : `${rest.slice(0, SIZE)}…\nThere is more: search for ${more}.`;
}
