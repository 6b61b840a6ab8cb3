// Adds a snippet service beside the API: creates snippets, and finds their languages.
import { InvalidInputError } from '../../loaders/errors.ts';
import type { Observer } from '../../observer.ts';
import type { ExtensionParts, SchemaContext } from '../../schema/builder.ts';
import { fromRefusal, type UserErrorShape } from '../../schema/resolve/field-errors.ts';
import { withInputPaths } from '../../schema/types/inputs.ts';
import { createPayload, type Outcome } from '../../schema/types/payloads.ts';
import type { FacadePlugin } from '../../server/plugin.ts';
import { DatetimeValue, parseDatetime } from '../../upstream/validation/datetime.ts';
import {
  CREATE,
  createSnippetsClient,
  DETECT_LANGUAGE,
  KEY_HEADER,
  LIST_LANGUAGES,
  type SnippetLanguage,
  type SnippetsClient,
  type SnippetsOptions,
} from './snippets-client.ts';

/** Adds the service to the schema. Its connections are open until `close`. */
export function useSnippets(options: SnippetsOptions, observer?: Observer): FacadePlugin {
  const client = createSnippetsClient(options, observer);
  return {
    schema: {
      names: {
        types: ['SnippetLanguage', 'SnippetAccessibility', 'SnippetCreateInput', 'SnippetCreatePayload'],
        queries: ['snippetLanguages', 'snippetLanguage'],
        mutations: ['snippetCreate'],
      },
      add(parts) {
        addQueries(parts, client);
        addMutation(parts, client);
      },
    },
    close: client.close,
  };
}

/** The input of a new snippet. Null is the same as omitted. */
interface SnippetInput {
  readonly title?: string | null | undefined;
  readonly fileName?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly content: string;
  readonly accessibility?: number | null | undefined;
  readonly expiration?: string | null | undefined;
}

/** The payload of a new snippet. */
interface SnippetPayload extends Outcome {
  readonly url: string | null;
}

/** Names of parameters in the service by input. */
const PARAMETERS: Readonly<Record<keyof SnippetInput, string>> = {
  title: 'title',
  fileName: 'file_name',
  language: 'language',
  content: 'content',
  accessibility: 'accessibility',
  expiration: 'expiration',
};
const CREATE_PATHS = new Map(
  Object.entries(PARAMETERS).map(([name, parameter]) => [parameter, ['input', name]]),
);
const DETECTION_PATHS = new Map([
  ['file_name', ['fileName']],
  ['text', ['text']],
]);

/** Describes a field by what it does and the command that it calls. */
const describe = (
  text: string,
  { action, method, path }: Pick<typeof CREATE, 'action' | 'method' | 'path'>,
): string => `${text}\n\n\`${action}\` · \`${method} ${path}\` · header \`${KEY_HEADER}\``;

function addQueries({ builder }: ExtensionParts, client: SnippetsClient): void {
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
      description: describe('The languages that the snippet service supports.', LIST_LANGUAGES),
      resolve: (_root, _args, context) => client.call(LIST_LANGUAGES, context, {}),
    }),
  );
  builder.queryField('snippetLanguage', (t) =>
    t.string({
      description: describe(
        'Detects the language of a file and returns its name. At least one argument is required.',
        DETECT_LANGUAGE,
      ),
      args: {
        fileName: t.arg.string({ description: 'The name of the file, with its extension.' }),
        text: t.arg.string({ description: 'The contents of the file.' }),
      },
      resolve(_root, { fileName, text }, context) {
        const parameters = { ...(fileName && { file_name: fileName }), ...(text && { text }) };
        if (Object.keys(parameters).length === 0) throw missingArguments();
        return withInputPaths(client.call(DETECT_LANGUAGE, context, parameters), DETECTION_PATHS, parameters);
      },
    }),
  );
}

function addMutation(parts: ExtensionParts, client: SnippetsClient): void {
  const { input, payload } = declareCreate(parts);
  parts.builder.mutationField('snippetCreate', (t) =>
    t.field({
      type: payload,
      description: describe('Creates a snippet in the snippet service.', CREATE),
      args: { input: t.arg({ type: input, required: true, description: 'Parameters for snippetCreate.' }) },
      resolve: (_root, { input: snippet }, context) => createSnippet(snippet, context, client),
    }),
  );
}

/** Declares the input and the payload of a new snippet. */
function declareCreate(parts: ExtensionParts) {
  const { builder } = parts;
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
  const payload = createPayload<SnippetPayload>(
    parts,
    'SnippetCreatePayload',
    `Payload of \`${CREATE.action}\`.`,
  );
  builder.objectField(payload, 'url', (t) =>
    t.string({
      description: 'The URL of the snippet. Null if it was not created.',
      resolve: ({ url }) => url,
    }),
  );
  return { input, payload };
}

/** Creates a snippet, unless its input is invalid. */
async function createSnippet(
  input: SnippetInput,
  context: SchemaContext,
  client: SnippetsClient,
): Promise<SnippetPayload> {
  const expiration = typeof input.expiration === 'string' ? toTimestamp(input.expiration) : undefined;
  const userErrors = [
    ...(input.content === '' ? [userError('content', 'REQUIRED', 'must be present and non-empty')] : []),
    ...(expiration === null
      ? [userError('expiration', 'FORMAT', 'must be a date such as 2030-01-31, or a time with a zone')]
      : []),
  ];
  if (userErrors.length > 0) return { url: null, userErrors };
  try {
    return { url: await client.call(CREATE, context, toParameters({ ...input, expiration })), userErrors };
  } catch (error) {
    const refusals = fromRefusal(error, CREATE_PATHS);
    if (refusals === null) throw error;
    // A name that is no parameter is a key of the service for an error of the whole request.
    const known = refusals.map((one) => (one.path === null ? { ...one, parameter: null } : one));
    return { url: null, userErrors: known };
  }
}

/** Names the inputs as the service does. Null is the same as omitted, because the service does not accept it. */
function toParameters(input: SnippetInput): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(PARAMETERS).flatMap(([name, parameter]) => {
      const value = input[name as keyof SnippetInput] ?? null;
      return value === null ? [] : [[parameter, String(value)]];
    }),
  );
}

/** Converts a date or time to Unix seconds; null if the text is no exact time. */
function toTimestamp(text: string): string | null {
  const time = parseDatetime(text);
  return time instanceof DatetimeValue ? (time.instant.split('.')[0] ?? null) : null;
}

const userError = (
  name: keyof SnippetInput,
  code: UserErrorShape['code'],
  message: string,
): UserErrorShape => ({
  message,
  code,
  path: ['input', name],
  parameter: PARAMETERS[name],
});

function missingArguments(): InvalidInputError {
  const message = 'At least one of "fileName" and "text" is required.';
  return new InvalidInputError(
    message,
    { action: DETECT_LANGUAGE.action },
    [...DETECTION_PATHS].map(([parameter, path]) => ({ message, code: 'REQUIRED', path, parameter })),
  );
}
