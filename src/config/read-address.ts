// Reads addresses that the operator gives.
import { ConfigError } from './config-error.ts';

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
    throw new ConfigError(`The ${name} address must hold no credentials; ${hint}.`);
  return url;
}
