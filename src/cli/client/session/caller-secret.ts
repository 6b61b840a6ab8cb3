// Finds what identifies the caller of a command to the API.
import type { Credential } from '../../../upstream/http/caller.ts';
import type { CallerConfig } from '../caller-settings.ts';
import type { Profile } from '../login/profile.ts';

/** The credential of a caller, as far as the settings know it. */
export interface CallerSecret extends Pick<Credential, 'kind' | 'value'> {
  /** The header that carries it; null for the one that the API describes for tokens. */
  readonly header: string | null;
  /** Identifies the session of a profile, whose credential changes when it is renewed; null for any other. */
  readonly session: string | null;
}

/** The credential of the settings, profiles left aside; null for an anonymous caller. */
export function secretOf({ authorization, token }: CallerConfig): CallerSecret | null {
  if (authorization !== null) return { ...authorization, session: null };
  return token === null ? null : { kind: 'token', header: null, value: token, session: null };
}

/** The credential of a profile. */
export function secretOfProfile(profile: Profile): CallerSecret {
  const { id: session } = profile;
  return profile.kind === 'oauth2'
    ? { kind: 'bearer', header: 'authorization', value: `Bearer ${profile.tokens.access}`, session }
    : { kind: 'token', header: null, value: profile.token, session };
}
