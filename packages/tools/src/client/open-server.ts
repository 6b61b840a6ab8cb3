// Finds a GraphQL server at an address that is given in place of a management API, such as Optiongraph itself.
import { fetch } from 'undici';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import type { CallerConfig } from '../login/use-profile.ts';
import { isObject } from '../output/values.ts';
import { Client, post, type Send } from './client.ts';
import { createDispatcher } from './dispatcher.ts';

/** Longest time for the answer to the question whether an address is that of GraphQL. Milliseconds. */
const PROBE_TIME = 10_000;

/** The explorer's page, whose configuration names the header of tokens. */
const PAGE_CONFIG = /<script type="application\/json" id="optiongraph-config">(.*?)<\/script>/s;

/**
 * Opens the server at the address of the settings, or at the path `graphql` below it; null where neither speaks GraphQL.
 * @throws CommandError when the credential cannot be sent.
 */
export async function openServer(config: CallerConfig): Promise<Client | null> {
  const { url, connection, authorization, token, language } = config;
  if (url === null) return null;
  const dispatcher = createDispatcher(connection);
  const below = new URL(`${url.pathname.replace(/\/$/, '')}/graphql`, url);
  for (const endpoint of [url, below]) {
    const send = sendTo(endpoint, dispatcher);
    if (!(await speaksGraphql(endpoint, send))) continue;
    try {
      const headers = {
        ...(language === null ? {} : { 'accept-language': language }),
        ...(authorization === null ? {} : { authorization }),
        ...(token === null ? {} : { [await readTokenHeader(endpoint, send)]: token }),
      };
      const isAnonymous = authorization === null && token === null;
      const signInAdvice = isAnonymous
        ? 'You are anonymous; give a credential as OPTIONGRAPH_TOKEN or OPTIONGRAPH_AUTHORIZATION.'
        : null;
      const close = (): Promise<void> => dispatcher.close();
      return new Client({ endpoint, send, headers, signInAdvice, isServer: true, close });
    } catch (error) {
      await dispatcher.close();
      throw error;
    }
  }
  await dispatcher.close();
  return null;
}

const sendTo =
  (endpoint: URL, dispatcher: ReturnType<typeof createDispatcher>): Send =>
  async (init) => {
    try {
      const sent = { ...init, dispatcher } as Parameters<typeof fetch>[1];
      // Undici's own type of responses, which has the same members.
      return (await fetch(endpoint, sent)) as unknown as Response;
    } catch (error) {
      const cause = error instanceof Error && isObject(error.cause) ? error.cause['code'] : undefined;
      const reason = cause === undefined ? '' : ` (${cause})`;
      throw new CommandError(
        EXIT_CODES.unreachable,
        `The GraphQL server at ${endpoint.href} cannot be reached${reason}.`,
        error,
      );
    }
  };

async function speaksGraphql(endpoint: URL, send: Send): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIME);
    const { data, errors } = await post(endpoint, send, { query: '{ __typename }' }, {}, signal);
    return typeof data?.['__typename'] === 'string' || Array.isArray(errors);
  } catch {
    return false;
  }
}

/** @throws CommandError when the server's page does not name the header. */
async function readTokenHeader(endpoint: URL, send: Send): Promise<string> {
  const response = await send({ headers: { accept: 'text/html' } });
  const [, json = 'null'] = PAGE_CONFIG.exec(await response.text()) ?? [];
  const config: unknown = JSON.parse(json);
  if (isObject(config) && typeof config['tokenHeader'] === 'string') return config['tokenHeader'];
  throw new CommandError(
    EXIT_CODES.credentials,
    `${endpoint.href} does not say which header carries tokens. Give the credential as OPTIONGRAPH_AUTHORIZATION.`,
  );
}
