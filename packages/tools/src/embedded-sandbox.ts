// Starts the sandbox that `serve --sandbox` serves in place of a management API.
import { randomUUID } from 'node:crypto';
import { listenSandbox, type Sandbox } from '@optiongraph/sandbox';
import { listenSnippets } from '@optiongraph/sandbox/snippets';
import { readAuthorization } from '../../../src/index.ts';

/** A sandbox in the same process. */
export type EmbeddedSandbox = Awaited<ReturnType<typeof openEmbeddedSandbox>>;

/**
 * Starts the sandbox.
 * @param hasSnippets Whether its snippet service is started too.
 * @param basePath Path below which browsers reach the facade.
 * @returns Its parts, and options of a facade that serves it.
 */
export async function openEmbeddedSandbox(hasSnippets: boolean, basePath: string) {
  // The facade's registration at the sandbox's OAuth 2.0 provider.
  const client = {
    id: 'optiongraph',
    secret: randomUUID(),
    name: 'Optiongraph',
    redirectUris: ['127.0.0.1', 'localhost', '[::1]'].map(
      (host) => `http://${host}${basePath}/auth/callback`,
    ),
  };
  const sandbox = await listenSandbox({ oauthClients: [client] });
  const snippets = hasSnippets ? await listenSnippets() : null;
  const [admin] = sandbox.users;
  const user = sandbox.users.at(-1);
  const operator = `Basic ${Buffer.from(`${admin?.login}:${admin?.password}`).toString('base64')}`;
  return {
    sandbox,
    snippets,
    /** The operator's `Authorization`. */
    operator,
    options: {
      upstream: new URL(sandbox.url),
      descriptionCredential: readAuthorization(operator),
      // The sandbox's description of version 5.0 has no default scope.
      oauth: { clientId: client.id, clientSecret: client.secret, scope: 'all' },
      snippets: snippets === null ? null : { url: new URL(snippets.url) },
      explorer: {
        title: 'Sandbox',
        headers: user === undefined ? {} : { [sandbox.tokenHeader]: user.token },
        signInHint: describeUsers(sandbox),
      },
    },
    async close() {
      await sandbox.close();
      await snippets?.close();
    },
  };
}

/** The users of the sandbox, a line each, for the dialog to sign in. */
function describeUsers({ users, twoStepUser }: Sandbox): string {
  return [
    'The users of this sandbox:',
    ...users.map(
      ({ login, password, admin }) => `${login}, password ${password}${admin ? ' (administrator)' : ''}`,
    ),
    `${twoStepUser.login}, password ${twoStepUser.password}, one-time codes of ${twoStepUser.totpSecret}`,
  ].join('\n');
}
