// The types of values that settings take. Each message continues a sentence that begins with the setting.
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import * as z from 'zod';
import { parseOverrides } from '../schema/model/overrides.ts';
import { parseTrustedDocuments } from '../server/documents/trusted-manifest.ts';
import { ANY_HOST, hostnameOf } from '../server/http/served-hosts.ts';
import { parseRedisAddress } from '../sharing/redis/redis-address.ts';
import { isCredentialHeader, readAuthorization } from '../upstream/http/caller.ts';
import { isLanguageTag, LANGUAGE_HEADER } from '../upstream/http/languages.ts';
import { readTextFile } from './read-file.ts';

/** A list of scopes (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Makes a message that repeats the refused value. Values that may hold a secret have messages without it. */
export const refusal =
  (message: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    `${message}, not ${JSON.stringify(input)}`;

/** Makes a message that repeats the refused value, unless it may be an address with a credential. */
const refusalOfAddress =
  (message: string) =>
  (issue: { readonly input?: unknown }): string =>
    String(issue.input).includes('@') ? message : refusal(message)(issue);

/** A whole number between bounds, inclusive. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = refusal(`must be a whole number ${range}`);
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** True or false. In a flag or variable, also `on` and `off`, `yes` and `no`, `1` and `0`. */
export const toggle = (fallback = false) =>
  z.boolean({ error: refusal('must be true or false') }).default(fallback);

/** One of some words. */
export const choice = <const T extends readonly string[]>(...words: T) =>
  z.enum(words, { error: refusal(`must be ${words.map((word) => JSON.stringify(word)).join(' or ')}`) });

/** A text that is not empty. */
export const text = (error = 'must be a text that is not empty') => z.string({ error }).min(1, { error });

/** Texts, each once. */
export const list = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .array(item, { error: 'must be a list' })
    .refine((items) => new Set(items).size === items.length, { error: 'must not name anything twice' });

/**
 * An http or https address without credentials.
 * @param hint Where a credential belongs instead.
 * @param isPublic Whether the message repeats a value; a secret may be given by mistake where an address goes with one.
 */
export function address(example: string, hint: string, isPublic = false) {
  const message = `must be an http or https address, such as ${example}`;
  const error = isPublic ? refusalOfAddress(message) : message;
  return text(message)
    .refine((given) => /^https?:$/.test(urlOf(given)?.protocol ?? ''), { error, abort: true })
    .transform((given) => new URL(given))
    .refine(({ username, password }) => username === '' && password === '', {
      error: `must not contain credentials; ${hint}`,
    });
}

/** An address on this machine without a query, to which a browser is sent back. */
export function loopbackAddress() {
  const error = 'must be an http address on this machine without a query, such as http://127.0.0.1/callback';
  return text(error)
    .refine((given) => isLoopbackAddress(urlOf(given)), { error, abort: true })
    .transform((given) => new URL(given));
}

/** An origin of pages. */
export const origin = () =>
  text()
    .transform((given) => given.replace(/\/$/, ''))
    .refine((given) => /^https?:/.test(given) && urlOf(given)?.origin === given, {
      error: refusalOfAddress('must be origins like https://app.example.org, without a path or wildcard'),
    });

/** A host that requests name, without a port, or `*` for any. */
export const hostName = () =>
  text().refine((given) => given === ANY_HOST || (!/:\d+$/.test(given) && hostnameOf(given) !== null), {
    error: refusal('must be hosts like graph.example.org or [2001:db8::1], without a scheme or port, or "*"'),
  });

/** A path without a slash at its end; the root is empty. */
export const basePathText = () =>
  text()
    .transform((given) => given.replace(/\/$/, ''))
    .refine(isBasePath, { error: refusalOfAddress('must be a path like /api/graph') });

/** Whether a text is a path without a slash at its end, of characters that need no encoding; the root is empty. */
export const isBasePath = (given: string): boolean => /^(\/[\w.~-]+)*$/.test(given);

/** The name of a file that can be read, more than once. */
export const file = () =>
  text()
    .refine((name) => !statSync(name, { throwIfNoEntry: false })?.isFIFO(), {
      error: 'must be a file, not a pipe, because it is read again',
      abort: true,
    })
    .transform((name, context) => readNamed(name, context, () => name));

/** The name of a PEM file, for its content. */
export const pemFile = () =>
  text().transform((name, context) => readNamed(name, context, (content) => content));

/** The tag of a language. */
export const languageTag = () =>
  z
    .string()
    .refine(isLanguageTag, { error: refusal('must be the tag of a language, such as `cs` or `pt-BR`') });

/** The name of a header that may carry a language, in lower case. */
export const languageHeaderName = () =>
  text()
    .toLowerCase()
    .refine((name) => name === LANGUAGE_HEADER || isCredentialHeader(name), {
      error: refusal('must be the name of a header that has no other meaning'),
    });

/** An OAuth 2.0 scope. */
export const scope = () =>
  text().regex(SCOPE, { error: 'must be words separated by single spaces (RFC 6749, section 3.3)' });

/** The address of a machine or network. */
export const network = () => text().refine(isNetwork, { error: refusal('must be addresses or networks') });

/** A secret, given itself or by the name of a file that holds it. The white space around it does not count. */
export const secret = (length = 1) =>
  z
    .union([z.string(), z.strictObject({ file: z.string() })], {
      error: 'must be a text, or the name of a file as { file: … }',
    })
    .transform((given, context) =>
      typeof given === 'string' ? given : readNamed(given.file, context, (content) => content.trim()),
    )
    .refine((given) => given.length >= length, {
      error: length === 1 ? 'must not be empty' : `must be ${length} characters or more`,
    });

/** A text that a header carries as one word. */
export const HEADER_WORD = /^[\x21-\x7e]+$/;

/** A token, given as a secret. */
export const tokenText = () =>
  secret().refine((given) => HEADER_WORD.test(given), {
    error: 'must be one word of printable ASCII characters, because it is sent in a header',
  });

/** Secrets, given as a list, or as one text or a file with commas or white space between them. */
export const secrets = (length: number) =>
  z
    .union([z.string(), z.strictObject({ file: z.string() }), z.array(z.string())], {
      error: 'must be a text, a list of texts, or the name of a file as { file: … }',
    })
    .transform((given, context): readonly string[] => {
      if (typeof given === 'string') return splitSecrets(given);
      return Array.isArray(given) ? given : readNamed(given.file, context, splitSecrets);
    })
    .refine((given) => given.length > 0 && given.every((one) => one.length >= length), {
      error: `must be ${length} characters or more`,
    });

const splitSecrets = (given: string): readonly string[] => given.split(/[\s,]+/).filter((one) => one !== '');

/** The address of Redis, which may contain a password. */
export const redisAddress = () =>
  secret().transform((given, context) => {
    const parsed = parseRedisAddress(given);
    if (parsed !== null) return parsed;
    context.addIssue(
      'must be like redis://host:6379/0, rediss://user:password@host, redis+sentinel://host:26379,host:26379/name, redis+cluster://host:6379,host:6379 or unix:///file',
    );
    return z.NEVER;
  });

/** The address of a proxy, which may contain a credential. */
export const proxyAddress = () =>
  secret()
    .transform((given) => (given.includes('://') ? given : `http://${given}`))
    .refine((given) => /^https?:$/.test(urlOf(given)?.protocol ?? ''), {
      error: 'must be an http or https address, such as http://proxy.example.org:3128',
    });

/** An `Authorization` value of the schemes Basic or Bearer. */
export const authorization = () =>
  secret().transform((given, context) => {
    try {
      return readAuthorization(given);
    } catch {
      context.addIssue('must be an Authorization value: "Basic …" or "Bearer …"');
      return z.NEVER;
    }
  });

/** The name of a JSON file with overrides. */
export const overridesFile = () =>
  text().transform((file, context) =>
    readNamed(file, context, (content) => parseOverrides(JSON.parse(content))),
  );

/** The name of a JSON file with trusted documents. */
export const documentsFile = () =>
  text().transform((file, context) =>
    readNamed(file, context, (content) => parseTrustedDocuments(JSON.parse(content))),
  );

function readNamed<T>(file: string, context: z.RefinementCtx, read: (content: string) => T): T {
  try {
    return read(readTextFile(file));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    context.addIssue(`names the file ${file}, which cannot be used: ${reason}`);
    return z.NEVER;
  }
}

const urlOf = (given: string): URL | null => (URL.canParse(given) ? new URL(given) : null);

function isLoopbackAddress(url: URL | null): boolean {
  if (url === null) return false;
  const { protocol, hostname, username, password, search, hash } = url;
  return (
    protocol === 'http:' &&
    ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) &&
    username + password + search + hash === ''
  );
}

function isNetwork(given: string): boolean {
  const [host = '', prefix = '0', ...rest] = given.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(host)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}
