// Defines what a profile holds: the session of one caller of one API.
import * as z from 'zod';
import { HEADER_WORD } from '../../../config/values.ts';

/** Characters of a secret that is sent in a header. */
const secret = z.string().regex(HEADER_WORD);

const common = {
  /** Address of the management API. The session is sent to no other. */
  upstream: z.url({ protocol: /^https?$/ }),
  /** Identifies the session, also when its tokens are renewed; null in profiles of earlier versions. */
  id: z.string().nullable().default(null),
};

/** A profile as its file holds it. */
export const profileSchema = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('token'),
    token: secret,
    /** When the token was issued or renewed, and when it ends; in milliseconds since 1970. Null: unknown, or it does not end. */
    validFrom: z.number(),
    validTo: z.number().nullable(),
  }),
  z.object({
    ...common,
    kind: z.literal('oauth2'),
    /** The provider as the API described it at the sign-in. The refresh token and the client's secret are sent to no other. */
    provider: z.object({ authorize: z.url(), token: z.url(), revoke: z.url() }),
    clientId: z.string(),
    /** Null for a public client (RFC 8252, section 8.4). */
    clientSecret: z.string().nullable(),
    tokens: z.object({
      access: secret,
      refresh: secret.nullable(),
      expiresAt: z.number().nullable(),
      lifetime: z.number().nullable(),
    }),
  }),
]);

/** The session of one caller of one API. */
export type Profile = z.output<typeof profileSchema>;
/** The session of a token that the API has issued. */
export type TokenProfile = Extract<Profile, { readonly kind: 'token' }>;
/** The session of a client of the API's OAuth 2.0 provider. */
export type OAuthProfile = Extract<Profile, { readonly kind: 'oauth2' }>;

/** A profile and its name. */
export interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

/** The profile that is used when none is named. */
export const DEFAULT_PROFILE = 'default';

/** The command that signs in again. */
export const loginCommand = (name: string): string =>
  name === DEFAULT_PROFILE ? 'optiongraph login' : `optiongraph login --profile ${name}`;
