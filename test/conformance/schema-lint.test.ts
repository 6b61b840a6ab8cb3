// Tests that the schema passes the recommended and the Relay rules of graphql-eslint, with exceptions and their reasons.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import { Linter } from 'eslint';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../schema.graphql', import.meta.url));
const sdl = readFileSync(file, 'utf8');

/** Types of outputs that are no objects of a resource, and have no identity. */
const OUTPUTS = [...sdl.matchAll(/"""Output of [^"]*"""\ntype (\w+)/g)].map(([, name = '']) => name);

/** Rules that do not fit a schema that is made from a description. */
const EXCEPTIONS: Linter.RulesRecord = {
  // The names of fields are those of the API.
  '@graphql-eslint/no-typename-prefix': 'off',
  // The API offers no way to page back.
  '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
  // Connections have `nodes`, and payloads have `userErrors`.
  '@graphql-eslint/relay-edge-types': [
    'error',
    { withEdgeSuffix: true, shouldImplementNode: true, listTypeCanWrapOnlyEdgeType: false },
  ],
  // Clients cannot fetch objects of these types again, so an id would say nothing.
  '@graphql-eslint/strict-id-in-types': [
    'error',
    {
      exceptions: {
        suffixes: ['Connection', 'Edge', 'Payload'],
        types: ['CallerSession', 'PageInfo', 'SnippetLanguage', 'UserError', ...OUTPUTS],
      },
    },
  ],
};

it('passes graphql-eslint', () => {
  const { configs, parser, rules } = graphqlPlugin;
  const config: Linter.Config = {
    files: ['**/*.graphql'],
    plugins: { '@graphql-eslint': { rules } as never },
    languageOptions: { parser: parser as never, parserOptions: { graphQLConfig: { schema: file } } },
    rules: {
      ...(configs['flat/schema-recommended'].rules as Linter.RulesRecord),
      ...(configs['flat/schema-relay'].rules as Linter.RulesRecord),
      ...EXCEPTIONS,
    },
  };
  const messages = new Linter({ cwd: '/' }).verify(sdl, config, file);
  expect(messages.map(({ ruleId, line, message }) => `${ruleId} ${line}: ${message}`)).toEqual([]);
}, 60_000);
