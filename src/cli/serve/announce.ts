// Logs what is served, and where.
import type { ServeConfig } from '../../config/serve-settings.ts';
import type { Facade } from '../../facade/facade.ts';
import { KEY_HEADER } from '../../plugins/snippets/snippets.ts';
import type { Log } from '../../telemetry/log.ts';
import {
  CREDENTIALS_HIDDEN,
  describeCredentials,
  describeEndpoint,
  describeFacade,
  describeFindings,
} from '../messages.ts';
import { print } from '../output.ts';
import type { EmbeddedSandbox } from '../sandbox/embedded-sandbox.ts';

/** Logs the findings and the address of each facade. */
export function announce(
  config: ServeConfig,
  facades: readonly Facade[],
  origin: string,
  programVersion: string,
  log: Log,
): void {
  if (config.oauth.clientId !== null && config.oauth.sessionSecret === null)
    log.warn('SESSION_SECRET is not set, so browser sessions end when this process ends', { event: 'start' });
  for (const { schema } of facades)
    for (const line of describeFindings(schema.findings)) log.warn(line, { event: 'finding' });
  const start = { event: 'start', version: programVersion, node: process.version };
  facades.forEach((facade, index) => {
    const url = origin + facade.endpoint;
    log.info(`${describeEndpoint(config, index)} ${url}`, {
      ...start,
      url,
      ...describeFacade(config, facade, index),
    });
  });
}

/** Logs the addresses of the sandbox, and prints its credentials for people. */
export function announceSandbox(
  { sandbox, snippets }: EmbeddedSandbox,
  isForPeople: boolean,
  log: Log,
): void {
  log.info(`Embedded sandbox (its REST API): ${sandbox.url}/`, { event: 'start' });
  if (snippets !== null) log.info(`Its snippet service: ${snippets.url}/`, { event: 'start' });
  if (isForPeople) print(`\n${describeCredentials(sandbox, snippets, KEY_HEADER)}`);
  else log.info(CREDENTIALS_HIDDEN, { event: 'start' });
}
