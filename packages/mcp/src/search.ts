// Finds the fields of a schema that a question is about, and prints them with their types as compact SDL.
import * as graphql from 'graphql';
import MiniSearch from 'minisearch';
import { readQuestion, stem, wordsOf } from './words.ts';

type Field = graphql.GraphQLField<unknown, unknown>;

/** Fields that an answer names, and characters of an answer and of a type in it. 2,800 of SDL are fewer than 900 tokens. */
const [HITS, SIZE, TYPE_SIZE] = [8, 2_800, 900];
/** Types of which only the field that leads to them is of interest. */
const WRAPPERS = /(Connection|Edge|Payload|PageInfo)$|^__/;
/** How much a word of the same meaning counts. */
const SYNONYM = 0.6;

/** Makes the search of a schema. */
export async function createSearch(schema: graphql.GraphQLSchema) {
  const fields = new Map<string, Field>();
  for (const type of Object.values(schema.getTypeMap()))
    if (graphql.isObjectType(type) && !WRAPPERS.test(type.name))
      for (const field of Object.values(type.getFields())) fields.set(`${type}.${field.name}`, field);
  const options = { fields: ['name', 'summary', 'related'], tokenize: wordsOf, processTerm: stem };
  const index = new MiniSearch<ReturnType<typeof describe>>(options);
  await index.addAllAsync([...fields].map(([id, field]) => describe(id, field)));

  /** Returns the coordinates of the fields that a question is likely about, the likeliest first. */
  const find = (question: string): readonly string[] => {
    const { terms, isAsking, isChange } = readQuestion(question);
    const weights = { Mutation: isAsking ? 0.5 : isChange ? 1.6 : 1, Query: 1.3, Subscription: 1.3 };
    const searching = {
      tokenize: (term: string) => [term],
      processTerm: (term: string) => term,
      boost: { name: 3, summary: 2 },
      boostDocument: (id: string) => weights[id.split('.')[0] as keyof typeof weights] ?? 0.9,
    };
    // Of each term the best word counts, and fields that know more of the terms come first.
    const totals = new Map<string, readonly [score: number, known: number]>();
    for (const { word, others } of terms) {
      const best = new Map<string, number>();
      for (const one of new Set([word, ...others]))
        for (const { id, score } of index.search(one, {
          ...searching,
          prefix: one === word && word.length > 3,
        }))
          best.set(id, Math.max(best.get(id) ?? 0, one === word ? score : score * SYNONYM));
      for (const [id, score] of best) {
        const [sum, known] = totals.get(id) ?? [0, 0];
        totals.set(id, [sum + score, known + 1]);
      }
    }
    const rankOf = (id: string): number => (totals.get(id) ?? [0]).reduce((score, known) => score * known);
    return [...totals.keys()].sort((a, b) => rankOf(b) - rankOf(a)).slice(0, HITS);
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
  const types = typesOf(field).map(print).join(' ');
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
  const noted = text.replaceAll(/"""([\s\S]*?)"""/g, noteOf);
  return noted.replaceAll(/\s+/g, ' ').trim();
}

const firstLine = (text: string | null | undefined): string => text?.split('\n', 1)[0] ?? '';
const shorten = (text: string, size: number): string =>
  text.length > size ? `${text.slice(0, size)}…` : text;

/** Returns a part of a text. @param more What to search for to see what follows. */
function partOf(text: string, part: number, more: string): string {
  const rest = text.slice((part - 1) * SIZE);
  return rest.length <= SIZE ? rest : `${rest.slice(0, SIZE)}…\nThere is more: search for ${more}.`;
}
