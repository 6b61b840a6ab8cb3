// Creates the facades that `serve` serves, one for each version of the API.
import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import { CredentialVerifier } from '../../callers/credential-verifier.ts';
import { SharedReads } from '../../callers/shared-reads.ts';
import { SignInLimit } from '../../callers/sign-in-limit.ts';
import { basePathOf, type ServeConfig } from '../../config/serve-settings.ts';
import { createFacade, type Facade } from '../../facade/facade.ts';
import type { FacadeOptions, SharedServices } from '../../facade/facade-options.ts';
import { PLUGINS } from '../../facade/plugins.ts';
import { CostBudget } from '../../server/cost/cost-limit.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { isDown } from '../../upstream/errors.ts';
import { AnswerBytes } from '../../upstream/http/call-queue.ts';
import { explain } from '../explain.ts';

/** First and longest delay between two attempts to start. Milliseconds. */
const DELAYS = { first: 1_000, longest: 30_000 };

/**
 * Creates a facade for each version: the first at /graphql, each other at /graphql/<version>. While the API is down, it tries again with
 * increasing delays.
 * @throws The reason of the signal once it aborts; an error that does not mean that the API is down.
 */
export async function createFacades(
  config: ServeConfig,
  embedded: EmbeddedSandbox | null,
  replicas: Replicas,
  parts: Required<Pick<FacadeOptions, 'log' | 'observer' | 'signal' | 'audit'>>,
): Promise<readonly Facade[]> {
  const shared = {
    verifier: new CredentialVerifier(replicas),
    signIns: new SignInLimit(replicas),
    reads: new SharedReads(replicas),
    answers: new AnswerBytes(config.limits.responseMemory),
    costBudget: new CostBudget(config.limits, replicas),
    replicas,
  };
  const options = { ...facadeOptions(config, embedded), ...parts, shared };
  for (let delay = DELAYS.first; ; delay = Math.min(delay * 2, DELAYS.longest))
    try {
      return await createForEachVersion(config, options);
    } catch (error) {
      parts.signal.throwIfAborted();
      if (!isDown(error)) throw error;
      const next = `Trying again in ${delay / 1000} s; until then the server is alive, but not ready.`;
      parts.log.warn(`${explain(error).message} ${next}`, { event: 'start' });
      await pause(delay, undefined, { signal: parts.signal });
    }
}

async function createForEachVersion(
  config: ServeConfig,
  options: FacadeOptions & { readonly shared: SharedServices },
): Promise<readonly Facade[]> {
  const facades: Facade[] = [];
  const graphql = `${basePathOf(config)}/graphql`;
  const [first = null, ...others] = config.upstream.versions;
  try {
    for (const version of [first, ...others]) {
      const endpoint = version === first ? graphql : `${graphql}/${encodeURIComponent(version ?? '')}`;
      const plugins = version === first && config.mcp ? await withAgents(config) : PLUGINS;
      facades.push(await createFacade({ ...options, version, endpoint }, plugins));
    }
    return facades;
  } catch (error) {
    for (const facade of facades) await facade.close();
    throw error;
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
  const { url: address, versions: _versions, authorization, languageHeader, ...transport } = upstream;
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
