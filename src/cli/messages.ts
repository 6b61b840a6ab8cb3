// Formats the messages of the command-line program.
import type { Sandbox } from '@optiongraph/sandbox';
import type { Snippets } from '@optiongraph/sandbox/snippets';
import type { ServeConfig } from '../config/serve-settings.ts';
import type { Facade } from '../facade/facade.ts';

/** Stands in place of credentials where the output may become a log. */
export const CREDENTIALS_HIDDEN =
  'Its tokens and keys are printed on a terminal only. README.md shows how to sign in.';

/**
 * Lists the users of the sandbox and of its snippet service with their credentials. It is for terminals only.
 * @param keyHeader The header or parameter that carries an API key.
 */
export function describeCredentials(sandbox: Sandbox, snippets: Snippets | null, keyHeader: string): string {
  return [describeUsers(sandbox), ...(snippets === null ? [] : [describeKeys(snippets, keyHeader)])].join(
    '\n\n',
  );
}

function describeUsers(sandbox: Sandbox): string {
  const lines = sandbox.users.map(({ login, password, token }) =>
    [`  ${login} (password ${password})`, `    ${sandbox.tokenHeader}: ${token}`].join('\n'),
  );
  const { login, password, totpSecret } = sandbox.twoStepUser;
  const [client] = sandbox.oauthClients;
  return [
    'Its users, each with a header to send:',
    ...lines,
    `  ${login} (password ${password}, then a one-time code of the TOTP secret ${totpSecret})`,
    'Its OAuth 2.0 client:',
    `  ${client?.id} (secret ${client?.secret}), back to ${client?.redirectUris.join(' or ')}`,
  ].join('\n');
}

function describeKeys({ allowAnonymous, users }: Snippets, name: string): string {
  const lines = users.map(({ login, apiKey }) => `  ${login}\n    ${name}: ${apiKey}`);
  const need = allowAnonymous ? 'none for public and unlisted snippets' : 'one for every command';
  return [`Keys of its snippet service, which needs ${need}:`, ...lines].join('\n');
}

/** Says in words what is served at the endpoint of a facade. */
export function describeEndpoint({ trustedDocuments, upstream }: ServeConfig, index: number): string {
  if (index > 0) return `The same for version ${upstream.versions[index]}:`;
  const { documents, mode } = trustedDocuments;
  return documents === null || mode === 'allow'
    ? 'GraphQL, and GraphiQL in a browser:'
    : 'GraphQL for trusted documents:';
}

/** Describes a facade that serves, for its first line in the log. */
export function describeFacade(
  { upstream, schemaMode }: ServeConfig,
  { schema: { schema, findings } }: Facade,
  index: number,
) {
  return {
    // Without a sandbox, it has an address. Addresses with credentials are refused.
    upstream: upstream.url?.href ?? 'sandbox',
    apiVersion: upstream.versions[index] ?? 'default',
    schemaMode,
    types: Object.keys(schema.getTypeMap()).length,
    findings: findings.length,
  };
}
