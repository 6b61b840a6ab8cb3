// Tests name clashes between an API and the snippet service.

import { type GraphQLSchema, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createFacade } from '../../src/server/facade.ts';
import { action, describeApi, resource } from '../helpers/describe-api.ts';
import { collectLog } from '../helpers/facade.ts';
import { openSnippetsFacade, startSnippetsStub } from '../helpers/snippets.ts';
import { startStub } from '../helpers/stub-upstream.ts';

const FIELDS = { id: 'Integer', title: 'String' } as const;
const ACCESS = { include: { values: ['open', 'closed'], message: 'no' } };

/** An API that itself creates snippets and has a field for their language. */
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

/** Returns the names in a schema that begin like those of the snippet service. */
function namesIn(schema: GraphQLSchema): readonly string[] {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  return [...fields, ...Object.keys(schema.getTypeMap())].filter((name) => /^snippet/i.test(name)).sort();
}

const SERVICE = [
  'SnippetAccessibility',
  'SnippetCreateInput',
  'SnippetCreatePayload',
  'SnippetLanguage',
  'snippetCreate',
  'snippetLanguage',
  'snippetLanguages',
];

describe('an override that sets a type name of the snippet service', () => {
  it('is ignored with a finding', async () => {
    await using stub = await startSnippetsStub({});
    await using pair = await openSnippetsFacade({ url: stub.url }, LANGUAGES, {
      typeNames: { snippet_language: 'SnippetCreatePayload' },
    });
    const { schema, findings } = pair.facade.schema;
    expect(validateSchema(schema)).toEqual([]);
    expect(schema.getType('SnippetCreatePayloadResource')).toBeDefined();
    expect(findings).toEqual([
      expect.objectContaining({ code: 'TYPE_NAME_CLASH', path: 'snippet_language' }),
    ]);
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
    'languages of snippets',
    LANGUAGES,
    [],
    ['SnippetLanguage', 'SnippetLanguageConnection', 'SnippetLanguageEdge'],
    ['snippetLanguage', 'snippetLanguages'],
  ],
])('an API that itself has %s', (_name, description, apart, types, fields) => {
  it('keeps its names without a snippet service', async () => {
    await using upstream = await startStub(description, {});
    await using facade = await createFacade({ upstream: upstream.url, log: collectLog() });
    const { schema, findings } = facade.schema;
    expect(findings).toEqual([]);
    expect(namesIn(schema)).toEqual([...apart, ...types, ...fields].sort());
  });

  it('gets names with the suffix Resource beside a snippet service, and both work', async () => {
    await using stub = await startSnippetsStub({
      '/api/detect-language/': (response) => response.end('{"language":"go"}'),
    });
    await using pair = await openSnippetsFacade({ url: stub.url }, description);
    const { schema, findings } = pair.facade.schema;
    expect(validateSchema(schema)).toEqual([]);
    expect(findings).toEqual([]);
    const renamed = [...types, ...fields].map((name) =>
      name === 'snippetLanguages'
        ? 'snippetLanguageResources'
        : name.replace(/(Connection|Edge)?$/, (end) => `Resource${end}`),
    );
    expect(namesIn(schema)).toEqual([...SERVICE, ...apart, ...renamed].sort());
    expect((await pair.ask('{ snippetLanguage(text: "x") }')).data).toEqual({ snippetLanguage: 'go' });
  });
});
