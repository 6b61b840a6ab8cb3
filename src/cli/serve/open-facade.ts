// Creates the facade that `serve` serves.
import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import { basePathOf, type ServeConfig } from '../../config/serve-settings.ts';
import { createFacade, type Facade } from '../../facade/facade.ts';
import type { FacadeOptions } from '../../facade/facade-options.ts';
import { PLUGINS } from '../../facade/plugins.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { isDown } from '../../upstream/errors.ts';
import { explain } from '../explain.ts';

/** First and longest delay between two attempts to start. Milliseconds. */
const DELAYS = { first: 1_000, longest: 30_000 };

/**
 * Creates the facade. While the API is down, it tries again with increasing delays.
 * @throws The reason of the signal once it aborts; an error that does not mean that the API is down.
 */
export async function openFacade(
  config: ServeConfig,
  embedded: EmbeddedSandbox | null,
  replicas: Replicas,
  parts: Required<Pick<FacadeOptions, 'log' | 'observer' | 'signal' | 'audit'>>,
): Promise<Facade> {
  const options = { ...facadeOptions(config, embedded), ...parts, shared: { replicas } };
  for (let delay = DELAYS.first; ; delay = Math.min(delay * 2, DELAYS.longest))
    try {
      return await createFacade(options, config.mcp ? await withAgents(config) : PLUGINS);
    } catch (error) {
      parts.signal.throwIfAborted();
      if (!isDown(error)) throw error;
      const next = `Trying again in ${delay / 1000} s; until then the server is alive, but not ready.`;
      parts.log.warn(`${explain(error).message} ${next}`, { event: 'start' });
      await pause(delay, undefined, { signal: parts.signal });
    }
}

/** Adds the door for agents to the plugins. It is loaded only here, so that `serve` without it starts faster. */
async function withAgents({ readOnly, mcpAnswerTokens: answerTokens, oauth }: ServeConfig) {
  const { useAgents } = await import('@optiongraph/mcp/serve-agents');
  const agents = useAgents(oauth.sessionSecret?.[0] ?? null, { readOnly, answerTokens });
  return { ...PLUGINS, agents: () => agents };
}

/** The options of a facade; those that have the name of their setting are taken from it. */
function facadeOptions(
  { expose, ...config }: ServeConfig,
  embedded: EmbeddedSandbox | null,
): Omit<FacadeOptions, 'log' | 'audit'> {
  const { upstream, oauth, snippets, publicUrl, origins } = config;
  const { documents, mode } = config.trustedDocuments;
  const { url: address, version, authorization, languageHeader, ...transport } = upstream;
  const { clientId, clientSecret } = oauth;
  // The sandbox is in the same process.
  const connection = embedded === null ? { proxy: config.proxy } : {};
  const url = address ?? embedded?.options.upstream;
  if (url === undefined) throw new TypeError('serve needs an upstream or the sandbox');
  return {
    ...config,
    ...(expose === null ? {} : { expose }),
    ...embedded?.options,
    upstream: url,
    version,
    languageHeader,
    ...(authorization === null ? {} : { descriptionCredential: authorization }),
    pages: { publicUrl: publicUrl?.origin ?? null, basePath: basePathOf(config), origins },
    trustedDocuments: documents && { documents, mode },
    transport: { ...transport, ...connection },
    oauth:
      clientId === null || clientSecret === null
        ? (embedded?.options.oauth ?? null)
        : { ...oauth, clientId, clientSecret },
    snippets:
      snippets.url === null
        ? (embedded?.options.snippets ?? null)
        : { ...snippets, url: snippets.url, transport: connection },
  };
}
