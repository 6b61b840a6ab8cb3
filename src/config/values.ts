// The types of values that settings take. Each message continues a sentence that begins with the setting.
import * as z from 'zod';
import { parseOverrides } from '../schema/model/overrides.ts';
import { ANY_HOST, hostnameOf } from '../server/http/served-hosts.ts';
import { parseTrustedDocuments } from '../server/trusted-manifest.ts';
import { isCredentialHeader, readAuthorization } from '../upstream/http/caller.ts';
import { isLanguageTag, LANGUAGE_HEADER } from '../upstream/http/languages.ts';
import { readTextFile } from './config-file.ts';

/** A list of scopes (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Makes a message that repeats the refused value, unless it may be an address with a credential. Secrets have messages without it. */
export const refusal =
  (message: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    String(input).includes('@') ? message : `${message}, not ${JSON.stringify(input)}`;

/** A whole number between bounds, inclusive. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = refusal(`must be a whole number ${range}`);
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** True or false. In a flag or variable, also `on` and `off`, `yes` and `no`, `1` and `0`. */
export const toggle = () => z.boolean({ error: refusal('must be true or false') }).default(false);

/** One of some words. */
export const choice = <const T extends readonly string[]>(...words: T) =>
  z.enum(words, { error: refusal(`must be ${words.map((word) => JSON.stringify(word)).join(' or ')}`) });

/** A text that is not empty. */
export const text = (error = 'must be a text that is not empty') => z.string({ error }).min(1, { error });

/** Makes the type of texts that pass a test. Its message may repeat them. @param expected Continues "must be". */
const textThat = (test: (given: string) => boolean, expected: string) =>
  text().refine(test, { error: refusal(`must be ${expected}`) });

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
  return z
    .url({ protocol: /^https?$/, error: isPublic ? refusal(message) : message, abort: true })
    .transform((given) => new URL(given))
    .refine(({ username, password }) => username === '' && password === '', {
      error: `must not contain credentials; ${hint}`,
    });
}

/** An origin of pages. */
export const origin = () =>
  withoutSlash.pipe(
    textThat(
      (given) => /^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given,
      'origins like https://app.example.org, without a path or wildcard',
    ),
  );

/** A host that requests name, without a port, or `*` for any. */
export const hostName = () =>
  textThat(
    (given) => given === ANY_HOST || (!/:\d+$/.test(given) && hostnameOf(given) !== null),
    'hosts like graph.example.org or [2001:db8::1], without a scheme or port, or "*"',
  );

/** A path without a slash at its end; the root is empty. */
export const basePathText = () =>
  withoutSlash.refine(isBasePath, { error: refusal('must be a path like /api/graph') });

/** Whether a text is a path without a slash at its end, of characters that need no encoding; the root is empty. */
export const isBasePath = (given: string): boolean => /^(\/[\w.~-]+)*$/.test(given);

const withoutSlash = text().transform((given) => given.replace(/\/$/, ''));

/** The tag of a language. */
export const languageTag = () => textThat(isLanguageTag, 'the tag of a language, such as `cs` or `pt-BR`');

/** The name of a header that may carry a language, in lower case. */
export const languageHeaderName = () =>
  textThat(
    (name) => name.toLowerCase() === LANGUAGE_HEADER || isCredentialHeader(name.toLowerCase()),
    'the name of a header that has no other meaning',
  ).toLowerCase();

/** An OAuth 2.0 scope. */
export const scope = () =>
  text().regex(SCOPE, { error: 'must be words separated by single spaces (RFC 6749, section 3.3)' });

/** The address of a machine or network. */
export const network = () =>
  z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: refusal('must be addresses or networks'),
  });

/** A secret, given itself or by the name of a file that holds it. The white space around it does not count. */
export const secret = () =>
  z
    .union([z.string(), z.strictObject({ file: z.string() })], {
      error: 'must be a text, or the name of a file as { file: … }',
    })
    .transform((given, context) =>
      typeof given === 'string' ? given : readNamed(given.file, context, (content) => content.trim()),
    )
    .refine((given) => given !== '', { error: 'must not be empty' });

/** Secrets of a least length, given as one text or file with commas or white space between them. */
export const secrets = (length: number) =>
  secret()
    .transform((given): readonly string[] => given.split(/[\s,]+/).filter((one) => one !== ''))
    .refine((given) => given.length > 0 && given.every((one) => one.length >= length), {
      error: `must be ${length} characters or more`,
    });

const LOGIN = '(?:(?:[^%/@]|%[\\da-f]{2})*@)?';
const REDIS_ADDRESS = new RegExp(`^(?:rediss?://${LOGIN}[^/@,]+(?:/\\d{0,5})?|unix://${LOGIN}/.+)$`, 'i');

/** The address of Redis, which may contain a password. */
export const redisAddress = () =>
  secret().refine(
    (given) => REDIS_ADDRESS.test(given) && (given.startsWith('unix:') || URL.canParse(given)),
    {
      error: 'must be like redis://host:6379/0, rediss://user:password@host or unix:///file',
    },
  );

/** The address of a proxy, which may contain a credential. */
export const proxyAddress = () =>
  secret()
    .transform((given) => (given.includes('://') ? given : `http://${given}`))
    .refine((given) => /^https?:/.test(given) && URL.canParse(given), {
      error: 'must be an http or https address, such as http://proxy.example.org:3128',
    });

/** An `Authorization` value of the schemes Basic or Bearer. */
export const authorization = () =>
  secret().transform((given, context) => {
    try {
      return readAuthorization(given);
    } catch {
      return refuse(context, 'must be an Authorization value: "Basic …" or "Bearer …"');
    }
  });

/** The name of a file, for what is read from its content. */
const fileOf = <T>(read: (content: string) => T) =>
  text().transform((name, context) => readNamed(name, context, read));

/** The name of a PEM file, for its content. */
export const pemFile = () => fileOf((content) => content);

/** The name of a JSON file with overrides. */
export const overridesFile = () => fileOf((content) => parseOverrides(JSON.parse(content)));

/** The name of a JSON file with trusted documents. */
export const documentsFile = () => fileOf((content) => parseTrustedDocuments(JSON.parse(content)));

function readNamed<T>(file: string, context: z.RefinementCtx, read: (content: string) => T): T {
  try {
    return read(readTextFile(file));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    return refuse(context, `names the file ${file}, which cannot be used: ${reason}`);
  }
}

/** Refuses a value whose own type has accepted it. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue(message);
  return z.NEVER;
}
