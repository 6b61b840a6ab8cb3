// Finds the fields of a schema that a question is about, and prints them with their types as compact SDL.
import { setImmediate as pause } from 'node:timers/promises';
import * as graphql from 'graphql';
import MiniSearch from 'minisearch';
import { readQuestion, stem, wordsOf } from './words.ts';

type Field = graphql.GraphQLField<unknown, unknown>;

/** Fields that an answer names, and characters of an answer and of a type in it. 2,800 of SDL are fewer than 900 tokens. */
const [HITS, SIZE, TYPE_SIZE] = [8, 2_800, 900];
/** Types of which only the field that leads to them is of interest. */
const WRAPPERS = /(Connection|Edge|Payload|PageInfo)$|^__/;

/** Makes the search of a schema, in parts between which other work is done. */
export async function createSearch(schema: graphql.GraphQLSchema) {
  const fields = new Map<string, Field>();
  for (const type of Object.values(schema.getTypeMap()))
    if (graphql.isObjectType(type) && !WRAPPERS.test(type.name))
      for (const field of Object.values(type.getFields())) fields.set(`${type}.${field.name}`, field);
  const options = { fields: ['name', 'summary', 'related'], tokenize: wordsOf, processTerm: stem };
  const index = new MiniSearch<ReturnType<typeof describe>>(options);
  for (const [id, field] of fields) {
    index.add(describe(id, field));
    if (index.documentCount % 50 === 0) await pause();
  }

  /** Returns the coordinates of the fields that a question is likely about, the likeliest first. */
  const find = (question: string): readonly string[] => {
    const { words, isAsking } = readQuestion(question);
    const queries = words.flatMap(({ word, others }) => [
      { queries: [word], prefix: word.length > 3 },
      { queries: others.filter((other) => other !== word), boostTerm: () => 0.55 },
    ]);
    const weights = new Map([['Mutation', isAsking ? 0.5 : 1.6]]).set('Query', 1.3).set('Subscription', 1.3);
    const weightOf = (id: string): number => weights.get(id.split('.')[0] ?? '') ?? 0.9;
    const boost = { name: 3, summary: 2, related: 0.5 };
    const asIs = { tokenize: (term: string) => [term], processTerm: (term: string) => term };
    const found = index.search({ queries }, { boost, boostDocument: weightOf, ...asIs }).slice(0, 50);
    const names = found.map(({ id }) => stem(id.split('.')[1]));
    // Lists below many types have one name, and would fill an answer.
    const isRare = (_: unknown, at: number) =>
      names.slice(0, at).filter((name) => name === names[at]).length < 2;
    return found.flatMap(({ id }, at) => (isRare(id, at) ? [id] : [])).slice(0, HITS);
  };

  /** Prints a type or a field that is named, else the fields that a question is about, with their types. */
  const answer = (question: string): string => {
    const [, name = '', part = '1'] = /^\s*([\w.]+)(?: (\d+))?\s*$/.exec(question) ?? [];
    const type = schema.getType(name);
    if (type) return partOf(print(type), Number(part), `${name} ${Number(part) + 1}`);
    const hits = (fields.has(name) ? [name] : find(question)).flatMap((id) => {
      const field = fields.get(id);
      return field ? [{ line: printField(id, field), types: typesOf(field) }] : [];
    });
    const types = [...new Set(hits.flatMap((hit) => hit.types))].map((one) => shorten(print(one), TYPE_SIZE));
    const text = [...hits.map(({ line }) => line), ...types].join('\n');
    return partOf(text || 'Nothing found. Use other words, or the name of a type.', 1, 'the name of a type');
  };
  return { find, answer };
}

function describe(id: string, field: Field) {
  const type = rowTypeOf(field);
  const label = /^Label: (.*)$/m.exec(field.description ?? '')?.[1] ?? '';
  // The fields of rows tell what a list at the root is about. Below other types, they are found for themselves.
  const isFound = (one: unknown): boolean =>
    one !== type || id.startsWith('Query.') || graphql.isEnumType(one);
  const types = typesOf(field).filter(isFound).map(print).join(' ');
  const related = `${id.split('.')[0]} ${type} ${firstLine(type.description)} ${types}`;
  return { id, name: field.name, summary: `${firstLine(field.description)} ${label}`, related };
}

/** Returns the type of a field; of a list, that of its rows. */
function rowTypeOf({ type: given }: Field): graphql.GraphQLNamedType {
  const type = graphql.getNamedType(given);
  return graphql.getNamedType((graphql.isObjectType(type) && type.getFields()['nodes']?.type) || type);
}

/** Lists the types that are needed to use a field: its inputs with their enums, and what it returns. */
function typesOf(field: Field): readonly graphql.GraphQLNamedType[] {
  const inputs = field.args.map(({ type }) => graphql.getNamedType(type));
  const inner = inputs.filter(graphql.isInputObjectType).flatMap((input) => Object.values(input.getFields()));
  const enums = inner.map(({ type }) => graphql.getNamedType(type)).filter(graphql.isEnumType);
  return [...inputs, ...enums, rowTypeOf(field)].filter((type) => !graphql.isScalarType(type));
}

function printField(id: string, { args, type, description }: Field): string {
  const given = args.map((argument) => `${argument.name}: ${argument.type}`).join(', ');
  return `${id}${given && `(${given})`}: ${type} # ${shorten(firstLine(description), 70)}`;
}

/** Prints a type as SDL in one line, with the rules of inputs. */
function print(type: graphql.GraphQLNamedType): string {
  const noteOf = (_: string, text: string): string =>
    graphql.isInputObjectType(type) ? `"${shorten(text.trim().replaceAll('"', "'"), 60)}"` : '';
  const text = graphql.printType(type).replace(/^"""[\s\S]*?"""/, '');
  return text
    .replaceAll(/"""([\s\S]*?)"""/g, noteOf)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const firstLine = (text: string | null | undefined): string => text?.split('\n', 1)[0] ?? '';
const shorten = (text: string, size: number): string =>
  text.length > size ? `${text.slice(0, size)}…` : text;

/** Returns a part of a text. @param more What to search for to see what follows. */
function partOf(text: string, part: number, more: string): string {
  const rest = text.slice((part - 1) * SIZE);
  return rest.length <= SIZE ? rest : `${rest.slice(0, SIZE)}…\nThere is more: search for ${more}.`;
}
