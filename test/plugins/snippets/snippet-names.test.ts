// Tests names that both the snippet service and the API use.

import type { GraphQLSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { action, describeApi, resource } from '../../helpers/describe-api.ts';
import { openApi } from '../../helpers/described.ts';
import { problemsOf } from '../../helpers/schema-problems.ts';
import { openSnippetsFacade, startSnippetsStub } from '../../helpers/snippets.ts';

const FIELDS = { id: 'Integer', title: 'String' } as const;
const ACCESS = { include: { values: ['open', 'closed'], message: 'no' } };

/** An API with a resource of snippets that can be created and have a language. */
const SNIPPETS = describeApi({
  snippet: resource({
    index: action({ path: '/snippets', namespace: 'snippets', output: FIELDS, layout: 'object_list' }),
    show: action({ path: '/snippets/{snippet_id}', namespace: 'snippet', output: FIELDS }),
    create: action({
      path: '/snippets',
      method: 'POST',
      namespace: 'snippet',
      input: { title: 'String', accessibility: { type: 'String', label: '', validators: ACCESS } },
      output: FIELDS,
    }),
    language: action({ path: '/snippets/language', namespace: 'snippet', output: { code: 'String' } }),
  }),
});

/** An API with a resource of snippet languages. */
const LANGUAGES = describeApi({
  snippet_language: resource({
    index: action({
      path: '/snippet_languages',
      namespace: 'snippet_languages',
      output: FIELDS,
      layout: 'object_list',
    }),
    show: action({
      path: '/snippet_languages/{snippet_language_id}',
      namespace: 'snippet_language',
      output: FIELDS,
    }),
  }),
});

/** The sorted names of types, queries and mutations that begin with "snippet". */
function snippetNames(schema: GraphQLSchema): readonly string[] {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  return [...fields, ...Object.keys(schema.getTypeMap())].filter((name) => /^snippet/i.test(name)).sort();
}

const SERVICE_NAMES = [
  'SnippetAccessibility',
  'SnippetCreateInput',
  'SnippetCreatePayload',
  'SnippetLanguage',
  'snippetCreate',
  'snippetLanguage',
  'snippetLanguages',
];

describe('an override that gives a type the name of a snippet service type', () => {
  it('is refused when the server starts', async () => {
    await using stub = await startSnippetsStub({});
    const names = { SnippetLanguageResource: 'SnippetCreatePayload' };
    await expect(openSnippetsFacade({ url: stub.url }, LANGUAGES, { names })).rejects.toThrow(
      'names.SnippetLanguageResource: SnippetCreatePayload is reserved',
    );
  });
});

describe.each([
  [
    'snippets',
    SNIPPETS,
    ['Snippet', 'SnippetConnection', 'SnippetEdge', 'snippet', 'snippets'],
    ['SnippetAccessibility', 'SnippetCreateInput', 'SnippetCreatePayload', 'SnippetLanguage'],
    ['snippetCreate', 'snippetLanguage'],
  ],
  [
    'snippet languages',
    LANGUAGES,
    [],
    ['SnippetLanguage', 'SnippetLanguageConnection', 'SnippetLanguageEdge'],
    ['snippetLanguage', 'snippetLanguages'],
  ],
])('an API with a resource of %s', (_name, description, distinctNames, types, fields) => {
  it('keeps its names without a snippet service', async () => {
    await using api = await openApi(description);
    const { schema, findings } = api.facade.schema;
    expect(findings).toEqual([]);
    expect(snippetNames(schema)).toEqual([...distinctNames, ...types, ...fields].sort());
  });

  it('gets the suffix Resource for conflicting names with a snippet service, and both work', async () => {
    await using stub = await startSnippetsStub({
      '/api/detect-language/': (response) => response.end('{"language":"go"}'),
    });
    await using pair = await openSnippetsFacade({ url: stub.url }, description);
    const { schema, findings } = pair.facade.schema;
    expect(problemsOf(schema)).toEqual([]);
    expect(findings).toEqual([]);
    const renamed = [...types, ...fields].map((name) =>
      name === 'snippetLanguages'
        ? 'snippetLanguageResources'
        : name.replace(/(Connection|Edge)?$/, (end) => `Resource${end}`),
    );
    expect(snippetNames(schema)).toEqual([...SERVICE_NAMES, ...distinctNames, ...renamed].sort());
    expect((await pair.ask('{ snippetLanguage(text: "x") }')).data).toEqual({ snippetLanguage: 'go' });
  });
});
