// Declares the types and fields of the snippet service.
import type { ExtensionParts, SchemaContext } from '../../schema/builder.ts';
import type { Outcome } from '../../schema/types/outcome-fields.ts';
import { COMMANDS, type SnippetLanguage } from './snippets-client.ts';

/** The input of a new snippet. Null is the same as omitted. */
export interface SnippetInput {
  readonly title?: string | null | undefined;
  readonly fileName?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly content: string;
  readonly accessibility?: number | null | undefined;
  readonly expiration?: string | null | undefined;
}

/** The payload of a new snippet. */
export interface SnippetPayload extends Outcome {
  readonly url: string | null;
}

/** What the fields call. */
interface Resolvers {
  list(context: SchemaContext): Promise<readonly SnippetLanguage[]>;
  detect(fileName: string, text: string, context: SchemaContext): Promise<string>;
  create(input: SnippetInput, context: SchemaContext): Promise<SnippetPayload>;
}

/** Adds the fields. @param keyHeader Named in their descriptions. */
export function addSnippetFields(parts: ExtensionParts, resolvers: Resolvers, keyHeader: string): void {
  const describe = (text: string, { action, method, path }: (typeof COMMANDS)[keyof typeof COMMANDS]) =>
    `${text}\n\n\`${action}\` · \`${method} ${path}\` · header \`${keyHeader}\``;
  addQueries(parts, resolvers, describe);
  const { builder } = parts;
  const { input, payload } = declareCreate(parts);
  builder.mutationField('snippetCreate', (t) =>
    t.field({
      type: payload,
      description: describe('Creates a snippet in the snippet service.', COMMANDS.create),
      args: { input: t.arg({ type: input, required: true, description: 'Parameters for snippetCreate.' }) },
      resolve: (_root, { input: snippet }, context) => resolvers.create(snippet, context),
    }),
  );
}

function addQueries(
  { builder }: ExtensionParts,
  resolvers: Resolvers,
  describe: (text: string, command: (typeof COMMANDS)[keyof typeof COMMANDS]) => string,
): void {
  const language = builder.objectRef<SnippetLanguage>('SnippetLanguage').implement({
    description: 'A language of snippets.',
    fields: (t) => ({
      name: t.exposeString('name', {
        nullable: false,
        description: 'The name of the language, for use as `SnippetCreateInput.language`.',
      }),
      label: t.exposeString('label', {
        description: 'A human-readable name of the language. Null if the service does not provide one.',
      }),
    }),
  });
  builder.queryField('snippetLanguages', (t) =>
    t.field({
      type: [language],
      nullable: { list: true, items: false },
      description: describe('The languages that the snippet service supports.', COMMANDS.listLanguages),
      resolve: async (_root, _args, context) => [...(await resolvers.list(context))],
    }),
  );
  builder.queryField('snippetLanguage', (t) =>
    t.string({
      description: describe(
        'Detects the language of a file and returns its name. At least one argument is required.',
        COMMANDS.detectLanguage,
      ),
      args: {
        fileName: t.arg.string({ description: 'The name of the file, with its extension.' }),
        text: t.arg.string({ description: 'The contents of the file.' }),
      },
      resolve: (_root, { fileName, text }, context) => resolvers.detect(fileName ?? '', text ?? '', context),
    }),
  );
}

/** Declares the input and the payload of a new snippet. */
function declareCreate({ builder, outcome }: ExtensionParts) {
  const accessibility = builder.enumType('SnippetAccessibility', {
    description: 'The possible audiences of a snippet.',
    values: {
      PUBLIC: { value: 0, description: 'Everyone can read the snippet.' },
      UNLISTED: { value: 1, description: 'Everyone who knows its URL can read the snippet.' },
      LOGGED_USERS: { value: 2, description: 'Users of the snippet service can read the snippet.' },
      PRIVATE: {
        value: 3,
        description: 'Only the owner of the API key with which it was created can read the snippet.',
      },
    },
  });
  const input = builder.inputType('SnippetCreateInput', {
    description:
      'Input of `snippet_service#create`. The service uses its defaults for fields that are omitted or null.',
    fields: (t) => ({
      title: t.string({ description: 'The title of the snippet.' }),
      fileName: t.string({ description: 'The name of the file, with its extension.' }),
      language: t.string({
        description: 'The name of one of `Query.snippetLanguages`. The default of the service is plain text.',
      }),
      content: t.string({ required: true, description: 'The text of the snippet.' }),
      accessibility: t.field({
        type: accessibility,
        description: 'Who can read the snippet. The default of the service is `UNLISTED`.',
      }),
      expiration: t.field({
        type: 'DateTime',
        description:
          'When the snippet expires, with a precision of seconds. The default of the service is 30 minutes from now.',
      }),
    }),
  });
  const payload = outcome.createPayload<SnippetPayload>(
    'SnippetCreatePayload',
    `Payload of \`${COMMANDS.create.action}\`.`,
  );
  builder.objectField(payload, 'url', (t) =>
    t.string({
      description: 'The URL of the snippet. Null if it was not created.',
      resolve: ({ url }) => url,
    }),
  );
  return { input, payload };
}
