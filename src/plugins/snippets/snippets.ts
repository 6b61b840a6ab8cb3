// Adds a snippet service beside the API: creates snippets, and finds their languages.
import type { Observer } from '../../observer.ts';
import type { SchemaExtension } from '../../schema/builder.ts';
import { AmbiguousCredentialsError } from '../../upstream/errors.ts';
import { type HeaderReader, readSecret } from '../../upstream/http/caller.ts';
import type { TransportOptions } from '../../upstream/http/transport.ts';
import { addSnippetFields, KEY_HEADER } from './snippet-fields.ts';
import { createSnippetsClient } from './snippets-client.ts';

/** A snippet service whose fields are part of the same schema. */
export interface SnippetsOptions {
  /** Address of the service, with its base path. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they use the service anonymously. */
  readonly apiKey?: string | null;
  readonly transport?: TransportOptions;
}

/** Adds the service to the schema. Its connections are open until `close`. */
export function useSnippets(
  { url, apiKey = null, transport }: SnippetsOptions,
  observer?: Observer,
): { readonly schema: SchemaExtension; readonly close: () => Promise<void> } {
  const client = createSnippetsClient(url, transport, observer);
  return {
    schema: {
      names: {
        types: ['SnippetLanguage', 'SnippetAccessibility', 'SnippetCreateInput', 'SnippetCreatePayload'],
        queries: ['snippetLanguages', 'snippetLanguage'],
        mutations: ['snippetCreate'],
      },
      add: (parts) =>
        addSnippetFields(parts, client, ({ header, operation }) => ({
          apiKey: readKey(header) ?? apiKey,
          headers: operation.caller.headers,
        })),
    },
    close: client.close,
  };
}

/** @throws AmbiguousCredentialsError when the key is sent twice: HTTP joins both with a comma, which no key contains. */
function readKey(header: HeaderReader): string | null {
  const key = readSecret(header, KEY_HEADER);
  if (key?.includes(','))
    throw new AmbiguousCredentialsError(`The request carries two ${KEY_HEADER} headers; send at most one.`);
  return key;
}
