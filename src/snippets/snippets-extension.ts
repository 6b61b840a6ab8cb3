// Adds the fields of the snippet service to the schema.
import { InvalidInputError } from '../loaders/errors.ts';
import type { ExtensionParts, SchemaContext, SchemaExtension } from '../schema/builder.ts';
import { fromRefusal, inputPathsOf, withInputPaths } from '../schema/resolve/field-errors.ts';
import type { Outcome } from '../schema/types/outcome-fields.ts';
import { AmbiguousCredentialsError } from '../upstream/errors.ts';
import { type HeaderReader, readSecret } from '../upstream/http/caller.ts';
import { INPUTS, type SnippetInput, toParameters, userError } from './snippet-input.ts';
import { SnippetLanguages } from './snippet-languages.ts';
import {
  COMMANDS,
  type SnippetLanguage,
  type SnippetsCaller,
  type SnippetsClient,
} from './snippets-client.ts';

/** The request header, or key of `connectionParams` on a WebSocket, with the caller's API key. */
export const KEY_HEADER = 'X-Snippets-Api-Key';

/** Paths of the arguments of `snippetLanguage` by parameter. */
const DETECTION_PATHS = new Map([
  ['file_name', ['fileName']],
  ['text', ['text']],
]);

interface Payload extends Outcome {
  readonly url: string | null;
}

/**
 * Creates the extension for the snippet service.
 * @param apiKey The operator's API key, for callers that send none. Null: these callers are anonymous.
 */
export function createSnippetsExtension(client: SnippetsClient, apiKey: string | null): SchemaExtension {
  const languages = new SnippetLanguages(client);
  const readCaller = ({ header, operation }: SchemaContext): SnippetsCaller => ({
    apiKey: readKey(header) ?? apiKey,
    headers: operation.caller.headers,
  });

  async function create(input: SnippetInput, context: SchemaContext): Promise<Payload> {
    const { operation } = context;
    const caller = readCaller(context);
    const { parameters, userErrors } = toParameters(input);
    const { language } = input;
    const isUnsupported =
      typeof language === 'string' && !(await languages.isSupported(language, caller, operation));
    const errors = isUnsupported
      ? [
          ...userErrors,
          userError('language', 'NOT_INCLUDED', 'is not a language that the snippet service supports'),
        ]
      : userErrors;
    if (errors.length > 0) return { url: null, userErrors: errors };
    try {
      const { url } = await operation.calls.runWrite(COMMANDS.create, (options) =>
        client.create(parameters, caller, options),
      );
      return { url, userErrors: [] };
    } catch (error) {
      const rejection = fromRefusal(error, inputPathsOf(INPUTS, ['input']));
      if (rejection === null) throw error;
      // A name that is not a parameter is a key of the service for an error of the whole request.
      const serviceErrors = rejection.map((entry) =>
        entry.path === null ? { ...entry, parameter: null } : entry,
      );
      return { url: null, userErrors: serviceErrors };
    }
  }

  async function detect(fileName: string, text: string, context: SchemaContext): Promise<string> {
    const parameters = { ...(fileName && { file_name: fileName }), ...(text && { text }) };
    if (fileName === '' && text === '') throw missingArguments();
    const caller = readCaller(context);
    const detection = context.operation.calls.runRead(COMMANDS.detectLanguage, (options) =>
      client.detectLanguage(parameters, caller, options),
    );
    const { language } = await withInputPaths(detection, DETECTION_PATHS, parameters);
    return language;
  }

  return {
    names: {
      types: ['SnippetLanguage', 'SnippetAccessibility', 'SnippetCreateInput', 'SnippetCreatePayload'],
      queries: ['snippetLanguages', 'snippetLanguage'],
      mutations: ['snippetCreate'],
    },
    add(parts) {
      addQueries(parts, (context) => languages.list(readCaller(context), context.operation), detect);
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
      description: `The languages that the snippet service supports.\n\n${describeCommand('GET', 'listLanguages')}`,
      resolve: async (_root, _args, context) => [...(await list(context))],
    }),
  );
  builder.queryField('snippetLanguage', (t) =>
    t.string({
      description: `Detects the language of a file and returns its name. At least one argument is required.\n\n${describeCommand('POST', 'detectLanguage')}`,
      args: {
        fileName: t.arg.string({ description: 'The name of the file, with its extension.' }),
        text: t.arg.string({ description: 'The contents of the file.' }),
      },
      resolve: (_root, { fileName, text }, context) => detect(fileName ?? '', text ?? '', context),
    }),
  );
}

function addCreate(
  { builder, outcome }: ExtensionParts,
  create: (input: SnippetInput, context: SchemaContext) => Promise<Payload>,
): void {
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
  const payload = outcome.createPayload<Payload>(
    'SnippetCreatePayload',
    `Payload of \`${COMMANDS.create.action}\`.`,
  );
  builder.objectField(payload, 'url', (t) =>
    t.string({
      description: 'The URL of the snippet. Null if it was not created.',
      resolve: ({ url }) => url,
    }),
  );
  builder.mutationField('snippetCreate', (t) =>
    t.field({
      type: payload,
      description: `Creates a snippet in the snippet service.\n\n${describeCommand('POST', 'create')}`,
      args: { input: t.arg({ type: input, required: true, description: 'Parameters for snippetCreate.' }) },
      resolve: (_root, { input: snippet }, context) => create(snippet, context),
    }),
  );
}

/** @throws AmbiguousCredentialsError when the key is sent twice: HTTP joins both with a comma, which no key contains. */
function readKey(header: HeaderReader): string | null {
  const key = readSecret(header, KEY_HEADER);
  if (key?.includes(','))
    throw new AmbiguousCredentialsError(`The request carries two ${KEY_HEADER} headers; send at most one.`);
  return key;
}

const describeCommand = (method: string, command: keyof typeof COMMANDS): string =>
  `\`${COMMANDS[command].action}\` · \`${method} ${COMMANDS[command].path}\` · header \`${KEY_HEADER}\``;

function missingArguments(): InvalidInputError {
  const message = 'At least one of "fileName" and "text" is required.';
  return new InvalidInputError(
    message,
    { action: COMMANDS.detectLanguage.action },
    [...DETECTION_PATHS].map(([parameter, path]) => ({ message, code: 'REQUIRED', path, parameter })),
  );
}
