// Starts a stub of an OAuth 2.0 provider.
import { listen, readText } from './plain-server.ts';
import { type Answer, reply } from './stub-upstream.ts';

/** The token and revocation endpoints of an OAuth 2.0 provider whose responses a test defines. */
export interface StubProvider extends AsyncDisposable {
  /** Its part of a description. */
  readonly described: Readonly<Record<string, string>>;
  /** The forms that the token endpoint received. */
  readonly requests: URLSearchParams[];
  /** The next response of the token endpoint. */
  answer: Answer;
}

/** Creates a response with tokens. */
export const answerTokens = (more: object): Answer =>
  reply({ access_token: 'access', token_type: 'Bearer', ...more });

/** Starts a provider on a free port. */
export async function startStubProvider(): Promise<StubProvider> {
  const server = await listen(async (request, response) => {
    const text = await readText(request);
    if (request.url !== '/token') return void response.writeHead(200).end();
    provider.requests.push(new URLSearchParams(text));
    provider.answer(response);
  });
  const provider: StubProvider = {
    described: {
      authorize_url: `${server.url}authorize`,
      token_url: `${server.url}token`,
      revoke_url: `${server.url}revoke`,
    },
    requests: [],
    answer: answerTokens({}),
    [Symbol.asyncDispose]: server.close,
  };
  return provider;
}
