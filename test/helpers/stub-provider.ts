// Starts a stub of an OAuth 2.0 provider.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.url !== '/token') return void response.writeHead(200).end();
    provider.requests.push(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
    provider.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: StubProvider = {
    described: { authorize_url: `${url}/authorize`, token_url: `${url}/token`, revoke_url: `${url}/revoke` },
    requests: [],
    answer: answerTokens({}),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}
