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

/** Logs the findings and the address of the facade. People get the address at the end, alone, to click or to copy. */
export function announce(
  { oauth, schemaMode, trustedDocuments, upstream }: ServeConfig,
  { endpoint, schema: { schema, findings } }: Facade,
  origin: string,
  { log, isForPeople }: OpenLog,
): void {
  if (oauth.clientId !== null && oauth.sessionSecret === null)
    log.warn('SESSION_SECRET is not set, so browser sessions end when this process ends', { event: 'start' });
  for (const line of describeFindings(findings)) log.warn(line, { event: 'finding' });
  const url = origin + endpoint;
  const isOpen = trustedDocuments.documents === null || trustedDocuments.mode === 'allow';
  const line = `${isOpen ? 'GraphQL, and GraphiQL in a browser:' : 'GraphQL for trusted documents:'} ${url}`;
  if (isForPeople) print(`\n${line}`);
  else
    log.info(line, {
      event: 'start',
      version: VERSION,
      node: process.version,
      url,
      schemaMode,
      // Without a sandbox, it has an address. Addresses with credentials are refused.
      upstream: upstream.url?.href ?? 'sandbox',
      apiVersion: upstream.version ?? 'default',
      types: Object.keys(schema.getTypeMap()).length,
      findings: findings.length,
    });
}

/** Logs the addresses of the sandbox, and prints its credentials for people. */
export function announceSandbox({ sandbox, snippets }: EmbeddedSandbox, { log, isForPeople }: OpenLog): void {
  log.info(`Embedded sandbox (its REST API): ${sandbox.url}/`, { event: 'start' });
  if (snippets !== null) log.info(`Its snippet service: ${snippets.url}/`, { event: 'start' });
  if (isForPeople) print(`\n${describeCredentials(sandbox, snippets, KEY_HEADER)}`);
  else log.info(CREDENTIALS_HIDDEN, { event: 'start' });
}
