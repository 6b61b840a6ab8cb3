// Logs what is served, and where.

import { describeFindings } from '@optiongraph/tools/command-line/describe-findings';
import { print } from '@optiongraph/tools/command-line/output';
import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import type { ServeConfig } from '../../config/serve-settings.ts';
import type { Facade } from '../../facade/facade.ts';
import type { Log } from '../../log.ts';
import { KEY_HEADER } from '../../plugins/snippets/snippets.ts';
import { CREDENTIALS_HIDDEN, describeCredentials, describeEndpoint, describeFacade } from '../messages.ts';

/** Where and by what is served. */
interface Start {
  readonly origin: string;
  readonly programVersion: string;
  /** Whether people read the log on a terminal. */
  readonly isForPeople: boolean;
}

/** Logs the findings and the address of each facade. People get the addresses at the end, alone, to click or to copy. */
export function announce(
  config: ServeConfig,
  facades: readonly Facade[],
  { origin, programVersion, isForPeople }: Start,
  log: Log,
): void {
  if (config.oauth.clientId !== null && config.oauth.sessionSecret === null)
    log.warn('SESSION_SECRET is not set, so browser sessions end when this process ends', { event: 'start' });
  for (const { schema } of facades)
    for (const line of describeFindings(schema.findings)) log.warn(line, { event: 'finding' });
  const start = { event: 'start', version: programVersion, node: process.version };
  const lines = facades.map((facade, index) => {
    const url = origin + facade.endpoint;
    const line = `${describeEndpoint(config, index)} ${url}`;
    if (!isForPeople) log.info(line, { ...start, url, ...describeFacade(config, facade, index) });
    return line;
  });
  if (isForPeople) print(`\n${lines.join('\n')}`);
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
