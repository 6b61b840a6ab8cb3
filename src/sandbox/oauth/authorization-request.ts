import { nothing, type Scope } from '../auth/scope.ts';
import { accepts, type Clients, type OAuthClient } from './clients.ts';
import { type Form, parseForm, readScope } from './form.ts';
import { OAuthError } from './oauth-error.ts';
import { readChallenge } from './pkce.ts';

/** Where the user goes when all is done, and with what of the client's. */
export interface ReturnAddress {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** What a client asks a user for (RFC 6749, section 4.1.1). */
export interface AuthorizationRequest extends ReturnAddress {
  readonly scope: Scope;
  /** The client left `redirect_uri` out, having registered but one. */
  readonly redirectUriOmitted: boolean;
  /** Of PKCE; null for none. */
  readonly challenge: string | null;
}

/** A request that cannot be answered by a redirect: nobody knows whether its sender may have one. */
export class UnknownClient extends Error {
  override readonly name = 'UnknownClient';
}

/** A request that is wrong, but whose client is known and told so. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly address: ReturnAddress;
  override readonly cause: OAuthError;

  constructor(address: ReturnAddress, cause: OAuthError) {
    super(cause.message, { cause });
    this.address = address;
    this.cause = cause;
  }
}

/** Reads the query of an authorization request; throws UnknownClient or RefusedRequest. */
export function readAuthorizationRequest(query: string, clients: Clients): AuthorizationRequest {
  const form = parseForm(query);
  const address = readAddress(form, clients);
  try {
    if (form.repeated !== undefined) throw new OAuthError('invalid_request', 'a parameter was sent twice');
    if (form.require('response_type') !== 'code') {
      throw new OAuthError('unsupported_response_type', 'response_type has to be code');
    }
    return {
      ...address,
      // The provider's default (RFC 6749, section 3.3), as on production servers.
      scope: readScope(form) ?? nothing,
      redirectUriOmitted: form.get('redirect_uri') === undefined,
      challenge: readChallenge(form),
    };
  } catch (error) {
    if (error instanceof OAuthError) throw new RefusedRequest(address, error);
    throw error;
  }
}

function readAddress(form: Form, clients: Clients): ReturnAddress {
  if (form.repeated === 'client_id' || form.repeated === 'redirect_uri') {
    throw new UnknownClient(`${form.repeated} was sent twice.`);
  }
  const client = clients.find(form.get('client_id') ?? '');
  if (!client) throw new UnknownClient('The application that sent you here is not known.');
  const only = client.redirectUris.length === 1 ? client.redirectUris[0] : undefined;
  const redirectUri = form.get('redirect_uri') ?? only;
  if (redirectUri === undefined || (redirectUri !== only && !accepts(client, redirectUri))) {
    throw new UnknownClient('The application that sent you here is not registered with that address.');
  }
  return { client, redirectUri, state: form.get('state') };
}
