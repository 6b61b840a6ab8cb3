// Tests that errors tell no names to a client that may not read the schema and guesses them, as the program clairvoyance does.
import {
  buildClientSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Facade } from '../../src/facade/facade.ts';
import { ask, startFacade } from '../helpers/facade.ts';
import { sharePair } from '../helpers/shared-pair.ts';

/** Wrong names in a document. It is told of five errors, of which a wrong place of the name may be one or two. */
const TOGETHER = 3;
/** The control sends one of so many guesses. */
const SHARE = 20;

const open = sharePair();
let closed: Facade;
let schema: GraphQLSchema;
beforeAll(async () => {
  closed = await startFacade(open.sandbox, { introspection: 'off' });
  const { data } = await open.ask<IntrospectionQuery>(getIntrospectionQuery());
  if (data === null) throw new Error('expected the schema');
  schema = buildClientSchema(data);
});
afterAll(() => closed.close());

/** A document with names that are each one letter off. */
interface Guess {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

const misspell = (name: string): string => `${name}q`;

const inGroups = (names: readonly string[]): string[][] =>
  names.flatMap((_, index) =>
    index % TOGETHER === 0 ? [names.slice(index, index + TOGETHER).map(misspell)] : [],
  );

const fragmentOn = (type: string, selection: string): Guess => ({
  query: `{ __typename } fragment F on ${type} { ${selection} }`,
});

const guessesOfObject = (type: GraphQLObjectType): Guess[] => {
  const fields = Object.values(type.getFields());
  const ofArguments = fields.flatMap(({ name, args }) =>
    inGroups(args.map((arg) => arg.name)).map((some) => `${name}(${some.join(': 1, ')}: 1)`),
  );
  const ofFields = inGroups(fields.map(({ name }) => name)).map((some) => some.join(' '));
  return [...ofFields, ...ofArguments].map((selection) => fragmentOn(type.name, selection));
};

const guessesOfInput = (type: GraphQLInputObjectType): Guess[] => {
  const names = Object.keys(type.getFields());
  const ofLiterals = inGroups(names).map((some) => ({
    query: `query ($a: ${type.name} = { ${some.join(': 1, ')}: 1 }) { __typename }`,
  }));
  const a = Object.fromEntries(names.map((name) => [misspell(name), 1]));
  return [...ofLiterals, { query: `query ($a: ${type.name}) { __typename }`, variables: { a } }];
};

/** Guesses of each name, in each place where it can stand, by a client that knows all names around it. */
function guesses(): Guess[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const ofTypes = inGroups(types.map(({ name }) => name)).map((some) => ({
    query: `query (${some.map((name, index) => `$v${index}: ${name}`).join(' ')}) { __typename }`,
  }));
  const ofEnums = types
    .filter(isEnumType)
    .flatMap((type) => type.getValues().map(({ name }) => `${type.name} = ${misspell(name)}`))
    .map((value) => ({ query: `query ($v: ${value}) { __typename }` }));
  return [
    ...ofTypes,
    ...types.filter(isObjectType).flatMap(guessesOfObject),
    ...types.filter(isInputObjectType).flatMap(guessesOfInput),
    ...ofEnums,
  ];
}

/** The names that only a reader of the schema knows. Whoever knows a field or an input is told what it requires. */
function secretNames(): Set<string> {
  const names = new Set<string>();
  const required: string[] = ['__typename', 'a'];
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type)) for (const { name } of type.getValues()) names.add(name);
    else if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) {
        names.add(field.name);
        if (isRequiredInputField(field)) required.push(field.name);
      }
    else if (isObjectType(type))
      for (const { name, args } of Object.values(type.getFields())) {
        names.add(name);
        for (const arg of args) names.add(arg.name);
        required.push(...args.filter(isRequiredArgument).map((arg) => arg.name));
      }
  }
  // Words of the messages themselves, such as 'Fragment "F" is never used'.
  for (const word of [...required, ...'type value field argument enum variable used limit query'.split(' ')])
    names.delete(word);
  return names;
}

const wordsOf = (text: string): string[] => text.match(/\w+/g) ?? [];

/** Returns the names in the answers that the guesses do not contain. */
async function recover(facade: Facade, sent: readonly Guess[]): Promise<string[]> {
  const secret = secretNames();
  const recovered = new Set<string>();
  for (const { query, variables = {} } of sent) {
    const { errors } = await ask(facade, query, { variables, headers: open.headers('admin') });
    expect(errors, query).not.toEqual([]);
    const known = new Set(wordsOf(query));
    for (const word of errors.flatMap(({ message }) => wordsOf(message)))
      if (secret.has(word) && !known.has(word)) recovered.add(word);
  }
  return [...recovered];
}

it('guesses recover names where the schema may be read', async () => {
  const some = guesses().filter((_, index) => index % SHARE === 0);
  expect((await recover(open.facade, some)).length).toBeGreaterThan(some.length / 2);
});

it('guesses of all names recover none with introspection off', async () => {
  expect(await recover(closed, guesses())).toEqual([]);
});
