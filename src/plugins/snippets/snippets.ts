// Adds a snippet service beside the API: creates snippets, and finds their languages.
import { InvalidInputError } from '../../loaders/errors.ts';
import type { Observer } from '../../observer.ts';
import type { SchemaContext, SchemaExtension } from '../../schema/builder.ts';
import { fromRefusal, type UserErrorShape } from '../../schema/resolve/field-errors.ts';
import { withInputPaths } from '../../schema/types/inputs.ts';
import { AmbiguousCredentialsError } from '../../upstream/errors.ts';
import { type HeaderReader, readSecret } from '../../upstream/http/caller.ts';
import type { TransportOptions } from '../../upstream/http/transport.ts';
import { parseDatetime } from '../../upstream/validation/datetime.ts';
import { DatetimeValue } from '../../upstream/validation/ruby-values.ts';
import { addSnippetFields, type SnippetInput, type SnippetPayload } from './snippet-fields.ts';
import {
  COMMANDS,
  createSnippetsClient,
  type SnippetLanguage,
  type SnippetsCaller,
  type SnippetsClient,
} from './snippets-client.ts';

/** A snippet service whose fields are part of the same schema. */
export interface SnippetsOptions {
  /** Address of the service, with its base path. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they use the service anonymously. */
  readonly apiKey?: string | null;
  readonly transport?: TransportOptions;
}

/** The request header, or key of `connectionParams` on a WebSocket, with the caller's API key. */
export const KEY_HEADER = 'X-Snippets-Api-Key';

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

/** Adds the service to the schema. Its connections are open until `close`. */
export function useSnippets(
  { url, apiKey = null, transport }: SnippetsOptions,
  observer?: Observer,
): { readonly schema: SchemaExtension; readonly close: () => Promise<void> } {
  const client = createSnippetsClient(url, transport, observer);
  const snippets = new SnippetResolvers(client, apiKey);
  return {
    schema: {
      names: {
        types: ['SnippetLanguage', 'SnippetAccessibility', 'SnippetCreateInput', 'SnippetCreatePayload'],
        queries: ['snippetLanguages', 'snippetLanguage'],
        mutations: ['snippetCreate'],
      },
      add: (parts) => addSnippetFields(parts, snippets, KEY_HEADER),
    },
    close: client.close,
  };
}

/** Resolves the fields of one service. */
class SnippetResolvers {
  readonly #client: SnippetsClient;
  /** The operator's key, for callers who send none. */
  readonly #apiKey: string | null;

  constructor(client: SnippetsClient, apiKey: string | null) {
    this.#client = client;
    this.#apiKey = apiKey;
  }

  /** Lists the languages of the service. */
  async list(context: SchemaContext): Promise<readonly SnippetLanguage[]> {
    const { value } = await context.operation.calls.runRead(COMMANDS.listLanguages, (options) =>
      this.#client.listLanguages(this.#callerOf(context), {}, options),
    );
    return value;
  }

  /** Detects the language of a file from its name, its text or both. */
  async detect(fileName: string, text: string, context: SchemaContext): Promise<string> {
    if (fileName === '' && text === '') throw missingArguments();
    const parameters = { ...(fileName && { file_name: fileName }), ...(text && { text }) };
    const detection = context.operation.calls.runRead(COMMANDS.detectLanguage, (options) =>
      this.#client.detectLanguage(this.#callerOf(context), parameters, options),
    );
    const { value } = await withInputPaths(detection, DETECTION_PATHS, parameters);
    return value;
  }

  /** Creates a snippet, unless its input is invalid. */
  async create(input: SnippetInput, context: SchemaContext): Promise<SnippetPayload> {
    const expiration = typeof input.expiration === 'string' ? toTimestamp(input.expiration) : undefined;
    const userErrors = [
      ...(input.content === '' ? [userError('content', 'REQUIRED', 'must be present and non-empty')] : []),
      ...(expiration === null
        ? [userError('expiration', 'FORMAT', 'must be a date such as 2030-01-31, or a time with a zone')]
        : []),
    ];
    if (userErrors.length > 0) return { url: null, userErrors };
    try {
      const { value } = await context.operation.calls.runWrite(COMMANDS.create, (options) =>
        this.#client.create(this.#callerOf(context), toParameters({ ...input, expiration }), options),
      );
      return { url: value, userErrors };
    } catch (error) {
      const refusals = fromRefusal(error, CREATE_PATHS);
      if (refusals === null) throw error;
      // A name that is no parameter is a key of the service for an error of the whole request.
      const known = refusals.map((one) => (one.path === null ? { ...one, parameter: null } : one));
      return { url: null, userErrors: known };
    }
  }

  #callerOf({ header, operation }: SchemaContext): SnippetsCaller {
    return { apiKey: readKey(header) ?? this.#apiKey, headers: operation.caller.headers };
  }
}

/** @throws AmbiguousCredentialsError when the key is sent twice: HTTP joins both with a comma, which no key contains. */
function readKey(header: HeaderReader): string | null {
  const key = readSecret(header, KEY_HEADER);
  if (key?.includes(','))
    throw new AmbiguousCredentialsError(`The request carries two ${KEY_HEADER} headers; send at most one.`);
  return key;
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
    { action: COMMANDS.detectLanguage.action },
    [...DETECTION_PATHS].map(([parameter, path]) => ({ message, code: 'REQUIRED', path, parameter })),
  );
}
