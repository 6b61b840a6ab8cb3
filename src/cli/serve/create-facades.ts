// Creates the facades that `serve` serves, one for each version of the API.

import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import { CredentialVerifier } from '../../callers/credential-verifier.ts';
import { SharedReads } from '../../callers/shared-reads.ts';
import { SignInLimit } from '../../callers/sign-in-limit.ts';
import { basePathOf, type ServeConfig } from '../../config/serve-settings.ts';
import { createFacade, type Facade } from '../../facade/facade.ts';
import type { FacadeOptions } from '../../facade/facade-options.ts';
import { PLUGINS } from '../../facade/plugins.ts';
import type { CostBudget } from '../../server/cost/cost-limit.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { AnswerBytes } from '../../upstream/http/call-queue.ts';

/** What the facades share with the rest of the process. */
interface ProcessParts extends Pick<FacadeOptions, 'log' | 'observer' | 'signal' | 'audit'> {
  readonly costBudget: CostBudget;
  readonly replicas: Replicas;
}

/** Creates a facade for each version: the first at /graphql, each other at /graphql/<version>. */
export async function createFacades(
  config: ServeConfig,
  embedded: EmbeddedSandbox | null,
  { costBudget, replicas, ...parts }: ProcessParts,
): Promise<readonly Facade[]> {
  const facades: Facade[] = [];
  const options = { ...facadeOptions(config, embedded), ...parts };
  const shared = {
    verifier: new CredentialVerifier(replicas),
    signIns: new SignInLimit(replicas),
    reads: new SharedReads(replicas),
    answers: new AnswerBytes(config.limits.responseMemory),
    costBudget,
    replicas,
  };
  const graphql = `${basePathOf(config)}/graphql`;
  const [first = null, ...others] = config.upstream.versions;
  try {
    for (const version of [first, ...others]) {
      const endpoint = version === first ? graphql : `${graphql}/${encodeURIComponent(version ?? '')}`;
      const plugins = version === first && config.mcp ? await withAgents(config) : PLUGINS;
      facades.push(await createFacade({ ...options, version, endpoint, shared }, plugins));
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

function facadeOptions(config: ServeConfig, embedded: EmbeddedSandbox | null): Omit<FacadeOptions, 'log'> {
  const { oauth, snippets, limits } = config;
  const { url: address, versions: _versions, authorization, languageHeader, ...transport } = config.upstream;
  const { clientId, clientSecret } = oauth;
  const { documents, mode } = config.trustedDocuments;
  // The sandbox is in the same process.
  const connection = embedded === null ? { proxy: config.proxy } : {};
  const url = address ?? embedded?.options.upstream;
  if (url === undefined) throw new TypeError('serve needs an upstream or the sandbox');
  return {
    ...embedded?.options,
    upstream: url,
    ...(authorization === null ? {} : { descriptionCredential: authorization }),
    callers: { schemaMode: config.schemaMode },
    basicFromBrowsers: config.basicFromBrowsers,
    pages: {
      publicUrl: config.publicUrl?.origin ?? null,
      basePath: basePathOf(config),
      origins: config.origins,
    },
    compression: config.compression,
    readyNeedsUpstream: config.readyNeedsUpstream,
    overrides: config.overrides,
    trustedProxies: config.trustedProxies,
    clientHeaders: config.clientHeaders,
    language: config.language,
    languageHeader,
    cacheDir: config.cacheDir,
    introspection: config.introspection,
    readOnly: config.readOnly,
    ...(config.expose === null ? {} : { expose: config.expose }),
    hide: config.hide,
    federation: config.federation,
    anonymousHints: config.anonymousHints,
    trustedDocuments: documents === null ? null : { mode, documents },
    limits,
    transport: { ...transport, ...connection },
    ...(clientId === null || clientSecret === null ? {} : { oauth: { ...oauth, clientId, clientSecret } }),
    ...(snippets.url === null ? {} : { snippets: { ...snippets, url: snippets.url, transport: connection } }),
  };
}
