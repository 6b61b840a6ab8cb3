// Logs what is served, and where.
import { describeFindings } from '@optiongraph/tools/command-line/describe-findings';
import { print } from '@optiongraph/tools/command-line/output';
import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import type { ServeConfig } from '../../config/serve-settings.ts';
import type { Facade } from '../../facade/facade.ts';
import { KEY_HEADER } from '../../plugins/snippets/snippets-client.ts';
import { VERSION } from '../../upstream/version.ts';
import { CREDENTIALS_HIDDEN, describeCredentials } from '../sandbox/describe-credentials.ts';
import type { OpenLog } from './open-log.ts';

/** Logs the findings and the address of each facade. People get the addresses at the end, alone, to click or to copy. */
export function announce(
  config: ServeConfig,
  facades: readonly Facade[],
  origin: string,
  { log, isForPeople }: OpenLog,
): void {
  if (config.oauth.clientId !== null && config.oauth.sessionSecret === null)
    log.warn('SESSION_SECRET is not set, so browser sessions end when this process ends', { event: 'start' });
  for (const { schema } of facades)
    for (const line of describeFindings(schema.findings)) log.warn(line, { event: 'finding' });
  const { upstream, schemaMode } = config;
  const lines = facades.map(({ endpoint, schema: { schema, findings } }, index) => {
    const url = origin + endpoint;
    const line = `${describeEndpoint(config, index)} ${url}`;
    if (!isForPeople)
      log.info(line, {
        ...{ event: 'start', version: VERSION, node: process.version, url, schemaMode },
        // Without a sandbox, it has an address. Addresses with credentials are refused.
        upstream: upstream.url?.href ?? 'sandbox',
        apiVersion: upstream.versions[index] ?? 'default',
        types: Object.keys(schema.getTypeMap()).length,
        findings: findings.length,
      });
    return line;
  });
  if (isForPeople) print(`\n${lines.join('\n')}`);
}

/** Says in words what is served at the endpoint of a facade. */
function describeEndpoint({ trustedDocuments, upstream }: ServeConfig, index: number): string {
  if (index > 0) return `The same for version ${upstream.versions[index]}:`;
  const { documents, mode } = trustedDocuments;
  return documents === null || mode === 'allow'
    ? 'GraphQL, and GraphiQL in a browser:'
    : 'GraphQL for trusted documents:';
}

/** Logs the addresses of the sandbox, and prints its credentials for people. */
export function announceSandbox({ sandbox, snippets }: EmbeddedSandbox, { log, isForPeople }: OpenLog): void {
  log.info(`Embedded sandbox (its REST API): ${sandbox.url}/`, { event: 'start' });
  if (snippets !== null) log.info(`Its snippet service: ${snippets.url}/`, { event: 'start' });
  if (isForPeople) print(`\n${describeCredentials(sandbox, snippets, KEY_HEADER)}`);
  else log.info(CREDENTIALS_HIDDEN, { event: 'start' });
}
