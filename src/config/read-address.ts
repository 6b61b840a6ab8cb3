// Reads addresses in settings.
import { ConfigError } from './config-error.ts';

/**
 * Reads an address; null when the setting is absent or empty.
 * @param hint Where a credential belongs instead of the address.
 * @throws ConfigError when it is no http or https address, or contains a credential.
 */
export function readAddress(
  text: string | undefined,
  name: string,
  example: string,
  hint: string,
): URL | null {
  if (text === undefined || text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ConfigError(`The ${name} must be an http or https address, e.g. ${example}.`);
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(`The ${name} address must not contain credentials; ${hint}.`);
  return url;
}
