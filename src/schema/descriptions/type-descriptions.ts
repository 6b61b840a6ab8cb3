// Says of each resource's type what it is, which field lists its objects, and which mutation creates them.
import { type GraphQLNamedType, type GraphQLSchema, isObjectType } from 'graphql';
import type { Steps } from '../../upstream/steps.ts';
import { pathKey } from '../model/model.ts';
import { capitalize, listNameOf, lowerFirst } from '../names/naming.ts';
import { actionOf, resourceOf } from '../origin.ts';
import { codeOf, paragraphs, wordsFor } from './descriptions.ts';

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

/** The sound with which a word begins that takes `an`. A user, a unit and a utility begin with a consonant. */
const VOWEL = /^(?:[aeio]|u(?!s|ni|t))/i;

function describeObjects(path: readonly string[], type: GraphQLNamedType, fields: FieldsByScope): string {
  const words = wordsFor(path.join('_'), type.description ?? '');
  const list = fields.get(`${pathKey(path)}#index`);
  const create = fields.get(`${pathKey(path)}#create`);
  const facts = [
    ...(list === undefined ? [] : [`listed by ${codeOf(list)}`]),
    ...(create === undefined ? [] : [`created by ${codeOf(create)}`]),
  ];
  const isOne = facts.length === 0 && isObjectType(type) && !('databaseId' in type.getFields());
  // What has no plural has no article.
  const isPlural = list?.endsWith(`.${listNameOf(lowerFirst(type.name), lowerFirst(type.name))}`) === true;
  const article = isOne ? 'The ' : isPlural ? '' : VOWEL.test(words) ? 'An ' : 'A ';
  const subject = capitalize(`${article}${words}`);
  return `${[subject, ...(facts.length === 0 ? [] : [facts.join(' and ')])].join(', ')}.`;
}
