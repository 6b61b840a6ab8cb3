// Says of each resource's type what it is, which field lists its objects, and which mutation creates them.
import { type GraphQLNamedType, type GraphQLSchema, isObjectType } from 'graphql';
import type { Steps } from '../../upstream/steps.ts';
import { pathKey } from '../model/model.ts';
import { actionOf, resourceOf } from '../origin.ts';
import { codeOf, humanize, paragraphs } from './descriptions.ts';

/** The coordinates of the fields that list and create objects, by the scopes of the actions. */
type FieldsByScope = ReadonlyMap<string, string>;

/** Begins the descriptions of the types of a schema's resources with a sentence about their objects. */
export function* describeTypes(schema: GraphQLSchema): Steps<void> {
  const types = Object.values(schema.getTypeMap());
  const fields = yield* collectFields(types);
  for (const type of types) {
    const path = resourceOf(type);
    if (path !== null)
      type.description = paragraphs([describeObjects(path, type, fields), type.description ?? null]);
  }
}

/** A list of the root comes before that of a parent, and this one before reverse edges. */
function* collectFields(types: readonly GraphQLNamedType[]): Steps<FieldsByScope> {
  const fields = new Map<string, string>();
  const ranks = new Map<string, number>();
  for (const type of types) {
    if (!isObjectType(type)) continue;
    const parent = pathKey(resourceOf(type) ?? []);
    for (const { name, extensions } of Object.values(type.getFields())) {
      const { scope = '' } = actionOf({ extensions }) ?? {};
      if (!/#(?:index|create)$/.test(scope)) continue;
      const isOfParent = scope.startsWith(`${parent}.`) && !scope.slice(parent.length + 1).includes('.');
      const rank = resourceOf(type) === null ? 0 : isOfParent ? 1 : 2;
      if (rank >= (ranks.get(scope) ?? 3)) continue;
      ranks.set(scope, rank);
      fields.set(scope, `${type.name}.${name}`);
    }
    yield;
  }
  return fields;
}

function describeObjects(path: readonly string[], type: GraphQLNamedType, fields: FieldsByScope): string {
  const words = withAcronyms(humanize(path.join('_')).toLowerCase(), type.description ?? '');
  const list = fields.get(`${pathKey(path)}#index`);
  const create = fields.get(`${pathKey(path)}#create`);
  const facts = [
    ...(list === undefined ? [] : [`listed by ${codeOf(list)}`]),
    ...(create === undefined ? [] : [`created by ${codeOf(create)}`]),
  ];
  const isOne = facts.length === 0 && isObjectType(type) && !('databaseId' in type.getFields());
  const article = isOne ? 'The' : /^[aeiou]/i.test(words) ? 'An' : 'A';
  return `${[`${article} ${words}`, ...(facts.length === 0 ? [] : [facts.join(' and ')])].join(', ')}.`;
}

/** Writes words in capitals that a text has in capitals. */
function withAcronyms(words: string, text: string): string {
  const acronyms = new Map(
    (text.match(/\b[A-Z][A-Z0-9]+\b/g) ?? []).map((word) => [word.toLowerCase(), word]),
  );
  return words
    .split(' ')
    .map((word) => acronyms.get(word) ?? word)
    .join(' ');
}
