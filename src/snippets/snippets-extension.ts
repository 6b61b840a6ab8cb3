import type { SchemaContext } from '../schema/builder.ts';
import { fromRefusal } from '../schema/resolve/user-errors.ts';
import type { ExtensionParts, SchemaExtension } from '../schema/schema-extension.ts';
import type { Outcome } from '../schema/types/outcome-fields.ts';
import { InvalidInputError } from '../upstream/errors/request-errors.ts';
import { INPUTS, type SnippetInput, toParameters, userError } from './snippet-input.ts';
import { SnippetLanguages } from './snippet-languages.ts';
import {
  COMMANDS,
  type SnippetLanguage,
  type SnippetsCaller,
  type SnippetsClient,
} from './snippets-client.ts';

/** The header that carries a caller's own key, on a WebSocket its name in `connectionParams`. */
export const KEY_HEADER = 'X-Snippets-Api-Key';

interface Payload extends Outcome {
  readonly url: string | null;
}

/**
 * The part of the schema that is the snippet service's.
 * @param apiKey The operator's key, for callers who send none of their own; null: they are anonymous there.
 */
export function createSnippetsExtension(client: SnippetsClient, apiKey: string | null): SchemaExtension {
  const languages = new SnippetLanguages(client);
  const callerOf = ({ header, operation }: SchemaContext): SnippetsCaller => ({
    apiKey: header(KEY_HEADER)?.trim() || apiKey,
    headers: operation.caller.headers,
  });

  async function create(given: SnippetInput, context: SchemaContext): Promise<Payload> {
    const { operation } = context;
    const caller = callerOf(context);
    const { parameters, userErrors } = toParameters(given);
    const { language } = given;
    const isUnknown = typeof language === 'string' && !(await languages.knows(language, caller, operation));
    const failures = isUnknown
      ? [
          ...userErrors,
          userError('language', 'NOT_INCLUDED', 'is no language that the snippet service knows'),
        ]
      : userErrors;
    if (failures.length > 0) return { url: null, userErrors: failures };
    try {
      const { url } = await operation.runWrite(COMMANDS.create, (sending) =>
        client.create(parameters, caller, sending),
      );
      return { url, userErrors: [] };
    } catch (error) {
      const refusal = fromRefusal(error, INPUTS, ['input'], false);
      if (refusal === null) throw error;
      // What is no parameter of it is the service's word for the whole.
      const told = refusal.map((entry) => (entry.path === null ? { ...entry, parameter: null } : entry));
      return { url: null, userErrors: told };
    }
  }

  async function detect(fileName: string, text: string, context: SchemaContext): Promise<string> {
    const parameters = { ...(fileName && { file_name: fileName }), ...(text && { text }) };
    if (fileName === '' && text === '') throw nothingToDetect();
    const caller = callerOf(context);
    const { language } = await context.operation.runRead(COMMANDS.detectLanguage, (sending) =>
      client.detectLanguage(parameters, caller, sending),
    );
    return language;
  }

  return {
    names: {
      types: ['SnippetLanguage', 'SnippetAccessibility', 'SnippetCreateInput', 'SnippetCreatePayload'],
      queries: ['snippetLanguages', 'snippetLanguage'],
      mutations: ['snippetCreate'],
    },
    add(parts) {
      addQueries(parts, (context) => languages.list(callerOf(context), context.operation), detect);
      addCreate(parts, create);
    },
  };
}

function addQueries(
  { builder }: ExtensionParts,
  list: (context: SchemaContext) => Promise<readonly SnippetLanguage[]>,
  detect: (fileName: string, text: string, context: SchemaContext) => Promise<string>,
): void {
  const language = builder.objectRef<SnippetLanguage>('SnippetLanguage').implement({
    description: 'A language that a snippet may be written in.',
    fields: (t) => ({
      name: t.exposeString('name', {
        nullable: false,
        description: 'What `SnippetCreateInput.language` takes.',
      }),
      label: t.exposeString('label', { description: 'For people; null where the service tells none.' }),
    }),
  });
  builder.queryField('snippetLanguages', (t) =>
    t.field({
      type: [language],
      nullable: { list: true, items: false },
      description: `Languages that the snippet service knows.\n\n${placeOf('GET', 'listLanguages')}`,
      resolve: async (_root, _args, context) => [...(await list(context))],
    }),
  );
  builder.queryField('snippetLanguage', (t) =>
    t.string({
      description: `The name of the language that a file is likely written in. At least one argument is needed.\n\n${placeOf('POST', 'detectLanguage')}`,
      args: {
        fileName: t.arg.string({ description: 'With its extension.' }),
        text: t.arg.string({ description: 'What is in the file.' }),
      },
      resolve: (_root, { fileName, text }, context) => detect(fileName ?? '', text ?? '', context),
    }),
  );
}

function addCreate(
  { builder, outcome }: ExtensionParts,
  create: (given: SnippetInput, context: SchemaContext) => Promise<Payload>,
): void {
  const accessibility = builder.enumType('SnippetAccessibility', {
    description: 'Who may read a snippet.',
    values: {
      PUBLIC: { value: 0, description: 'Everybody.' },
      UNLISTED: { value: 1, description: 'Everybody who knows its address.' },
      LOGGED_USERS: { value: 2, description: 'The users of the snippet service.' },
      PRIVATE: { value: 3, description: 'The one whose key it was created with.' },
    },
  });
  const input = builder.inputType('SnippetCreateInput', {
    description: 'A new snippet. What is omitted or null is not sent, and the service’s default holds.',
    fields: (t) => ({
      title: t.string({ description: 'For people.' }),
      fileName: t.string({ description: 'With its extension.' }),
      language: t.string({
        description: 'The name of one of `Query.snippetLanguages`; the service’s default is plain text.',
      }),
      content: t.string({ required: true, description: 'The snippet itself.' }),
      accessibility: t.field({ type: accessibility, description: 'The service’s default is `UNLISTED`.' }),
      expiration: t.field({
        type: 'DateTime',
        description: 'When the snippet goes, to the second; the service’s default is in 30 minutes.',
      }),
    }),
  });
  const payload = outcome.createPayload<Payload>(
    'SnippetCreatePayload',
    `What \`${COMMANDS.create.action}\` came to.`,
  );
  builder.objectField(payload, 'url', (t) =>
    t.string({
      description: 'Address of the snippet; null when it was not created.',
      resolve: ({ url }) => url,
    }),
  );
  builder.mutationField('snippetCreate', (t) =>
    t.field({
      type: payload,
      description: `Creates a snippet in the snippet service.\n\n${placeOf('POST', 'create')}`,
      args: { input: t.arg({ type: input, required: true }) },
      resolve: (_root, { input: given }, context) => create(given, context),
    }),
  );
}

const placeOf = (method: string, command: keyof typeof COMMANDS): string =>
  `\`${COMMANDS[command].action}\` · \`${method} ${COMMANDS[command].path}\` · header \`${KEY_HEADER}\``;

function nothingToDetect(): InvalidInputError {
  const message = 'Give "fileName", "text" or both.';
  const missing = [
    ['fileName', 'file_name'],
    ['text', 'text'],
  ] as const;
  return new InvalidInputError(
    message,
    { action: COMMANDS.detectLanguage.action },
    missing.map(([name, parameter]) => ({ message, code: 'REQUIRED', path: [name], parameter })),
  );
}
