// Tests which credential a request carries.
import { describe, expect, test } from 'vitest';
import type { AuthenticationMethods } from '../../../src/upstream/description/description.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { AmbiguousCredentialsError, UnsupportedCredentialsError } from '../../../src/upstream/errors.ts';
import { readAuthorization, readCredential } from '../../../src/upstream/http/caller.ts';

const methods: AuthenticationMethods = parseDescription({
  authentication: {
    basic: {},
    token: { http_header: 'X-Library-Token', query_parameter: 't', resources: {} },
    oauth2: { http_header: 'X-Library-OAuth2', authorize_url: 'https://login.example/' },
  },
  resources: {},
}).authentication;
const none: AuthenticationMethods = { basic: false, token: null, oauth2: null };

function read(headers: Readonly<Record<string, string>>, described = methods) {
  const given = new Headers(headers);
  return readCredential((name) => given.get(name), described);
}

describe('a credential', () => {
  test.each([
    [{ authorization: 'Basic YTpi' }, { kind: 'basic', header: 'authorization', value: 'Basic YTpi' }],
    [{ Authorization: 'bearer abc' }, { kind: 'bearer', header: 'authorization', value: 'bearer abc' }],
    [{ 'x-library-token': 'abc' }, { kind: 'token', header: 'x-library-token', value: 'abc' }],
    [{ 'X-LIBRARY-OAUTH2': 'abc' }, { kind: 'oauth2', header: 'x-library-oauth2', value: 'abc' }],
  ])('is forwarded unchanged: %o', (headers, credential) => {
    expect(read(headers)).toMatchObject(credential);
  });

  test.each([{}, { authorization: '' }, { 'x-library-token': ' ' }, { cookie: 'session=1' }])(
    'is null for an anonymous caller: %o',
    (headers) => {
      expect(read(headers)).toBeNull();
    },
  );

  test('is read from the headers that the description names only', () => {
    expect(read({ 'x-library-token': 'abc', 'x-haveapi-auth-token': 'abc' })?.header).toBe('x-library-token');
    expect(read({ 'x-library-token': 'abc', 'x-library-oauth2': 'abc' }, none)).toBeNull();
  });

  test('is read once where a method uses the Authorization header', () => {
    const described = { ...none, oauth2: { httpHeader: 'Authorization', endpoints: null } };
    expect(read({ authorization: 'Bearer abc' }, described)?.kind).toBe('bearer');
  });

  test('is read once where two methods share a header', () => {
    const token = { httpHeader: 'X-Auth', resources: [] };
    const described = { ...none, token, oauth2: { httpHeader: 'x-auth', endpoints: null } };
    expect(read({ 'x-auth': 'abc' }, described)).toMatchObject({ kind: 'token', header: 'x-auth' });
  });

  test('needs no header where oauth2 names none', () => {
    expect(read({ null: 'x' }, { ...none, oauth2: { httpHeader: null, endpoints: null } })).toBeNull();
  });
});

describe('two credentials', () => {
  test.each([
    [{ authorization: 'Basic secret', 'x-library-token': 'secret' }, 'authorization and x-library-token'],
    [{ authorization: 'Bearer secret', 'x-library-oauth2': 'secret' }, 'authorization and x-library-oauth2'],
    [{ 'x-library-token': 'secret', 'x-library-oauth2': 'secret' }, 'x-library-token and x-library-oauth2'],
  ])('are refused with the names of their headers: %o', (headers, names) => {
    expect(() => read(headers)).toThrow(AmbiguousCredentialsError);
    expect(() => read(headers)).toThrow(`The request carries two credentials (${names}); send exactly one.`);
  });

  test('in one Authorization header are refused', () => {
    expect(() => read({ authorization: 'Basic YTpi, Bearer abc' })).toThrow(AmbiguousCredentialsError);
  });
});

describe('an Authorization header', () => {
  test.each(['Digest secret', 'secret', 'Basic', 'Bearer ', 'Basicsecret'])(
    'of another scheme is refused and not quoted: %s',
    (value) => {
      expect(() => readAuthorization(value)).toThrow(UnsupportedCredentialsError);
      expect(() => readAuthorization(value)).toThrow(
        'The Authorization header must be "Basic …" or "Bearer …".',
      );
    },
  );
});
