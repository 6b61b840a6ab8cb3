// Describes who may use the sandbox, for terminals.
import type { Sandbox } from '@optiongraph/sandbox';
import type { Snippets } from '@optiongraph/sandbox/snippets';

/** Stands in place of credentials where the output may become a log. */
export const CREDENTIALS_HIDDEN =
  'Its tokens and keys are printed on a terminal only. README.md shows how to sign in.';

/**
 * Lists the users of the sandbox and of its snippet service with their credentials. It is for terminals only.
 * @param keyHeader The header or parameter that carries an API key.
 */
export function describeCredentials(
  { users, tokenHeader, twoStepUser, oauthClients: [client] }: Sandbox,
  snippets: Snippets | null,
  keyHeader: string,
): string {
  const lines = [
    'Its users, each with a header to send:',
    ...users.map(
      ({ login, password, token }) => `  ${login} (password ${password})\n    ${tokenHeader}: ${token}`,
    ),
    `  ${twoStepUser.login} (password ${twoStepUser.password}, then a one-time code of the TOTP secret ${twoStepUser.totpSecret})`,
    'Its OAuth 2.0 client:',
    `  ${client?.id} (secret ${client?.secret}), back to ${client?.redirectUris.join(' or ')}`,
  ];
  if (snippets !== null) {
    const need = snippets.allowAnonymous ? 'none for public and unlisted snippets' : 'one for every command';
    lines.push(
      `\nKeys of its snippet service, which needs ${need}:`,
      ...snippets.users.map(({ login, apiKey }) => `  ${login}\n    ${keyHeader}: ${apiKey}`),
    );
  }
  return lines.join('\n');
}
