// The settings of commands that use a management API as one caller: which API, and with which credential.
import * as z from 'zod';
import { group, optional, setting } from '../../../src/config/setting.ts';
import {
  languageHeader,
  overrides,
  proxy,
  transport,
  upstreamUrl,
} from '../../../src/config/upstream-settings.ts';
import {
  authorization,
  choice,
  languageTag,
  refusal,
  text,
  toggle,
  tokenText,
} from '../../../src/config/values.ts';
import type { Credential } from '../../../src/upstream/http/caller.ts';
import { listProfiles, type NamedProfile, type Profile } from './login/profile.ts';

/** The management API of a command. @param needed When its address is required. */
export const callerUpstream = (needed: string) =>
  group(
    {
      url: upstreamUrl(needed),
      version: setting(optional(text()), '--api-version V', {
        isCommon: true,
        help: 'version of the API',
        defaultText: "the API's default version",
      }),
      authorization: setting(optional(authorization()), null, {
        variable: 'UPSTREAM_AUTHORIZATION',
        isSecret: true,
        help: "the operator's credential, `Basic …` or `Bearer …`; fetches the base description, which decides names and types as on the operator's server, and nothing else",
        defaultText: 'none: anonymous',
      }),
      languageHeader,
      ...transport,
    },
    'Management API',
  );

/** The profile of a command. Its name is part of the name of a file. */
export const profile = setting(
  optional(
    text().regex(/^[\w-][\w.-]{0,63}$/, {
      error: refusal('must be up to 64 letters, digits and _ . -, and begin with no dot'),
    }),
  ),
  '--profile NAME',
  {
    isCommon: true,
    help: 'the session that `login` has stored under this name',
    values: listProfiles,
    defaultText: '`default`, if it is for the same API',
  },
);

/** The callers of the sandbox. */
export const WHO = ['user', 'admin', 'anonymous'] as const;

/** All settings of the commands for callers. */
export const callerSettings = z.strictObject({
  upstream: callerUpstream('required unless a profile has it or `--sandbox` is given'),
  profile,
  sandbox: setting(toggle(), '--sandbox', {
    variable: null,
    isCommon: true,
    help: 'uses an embedded sandbox, which ends with the command, in place of an API',
  }),
  as: setting(choice(...WHO).default('user'), '--as WHO', {
    variable: null,
    isCommon: true,
    help: 'the caller of the sandbox: `user`, `admin` or `anonymous`',
  }),
  authorization: setting(optional(authorization()), null, {
    variable: 'OPTIONGRAPH_AUTHORIZATION',
    isCommon: true,
    isSecret: true,
    help: "the caller's credential, `Basic …` or `Bearer …`",
    defaultText: 'none: anonymous',
  }),
  token: setting(optional(tokenText()), null, {
    variable: 'OPTIONGRAPH_TOKEN',
    isCommon: true,
    isSecret: true,
    help: "the caller's token, which is sent in the header that the API describes",
    defaultText: 'none: anonymous',
  }),
  language: setting(optional(languageTag()), '--language TAG', {
    help: "language of the API's texts and messages, where the API has it",
    defaultText: '`en`',
  }),
  overrides,
  proxy,
});

/** The settings of commands for callers, valid and complete. */
export type CallerSettings = z.output<typeof callerSettings>;

/** How a command uses an API as one caller. */
export interface CallerConfig extends CallerSettings {
  /** The session that the command uses; null for the caller of the settings. */
  readonly signedIn: NamedProfile | null;
}

/** What can be wrong with valid settings that depend on each other, with whether it is. */
export function conflictsOfCaller(config: CallerSettings): Readonly<Record<string, boolean>> {
  const { upstream: api, sandbox, authorization: basic, token, profile: name } = config;
  const hasCredential = basic !== null || token !== null;
  return {
    'Both an upstream (--upstream or UPSTREAM_URL) and --sandbox are given; leave one out.':
      api.url !== null && sandbox,
    'Both OPTIONGRAPH_AUTHORIZATION and OPTIONGRAPH_TOKEN are given; leave one out.':
      basic !== null && token !== null,
    'Both a profile (--profile or OPTIONGRAPH_PROFILE) and a credential (OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN) are given; leave one out.':
      name !== null && hasCredential,
    'The sandbox has callers of its own; choose one with --as, and leave out --profile, OPTIONGRAPH_AUTHORIZATION and OPTIONGRAPH_TOKEN.':
      sandbox && (hasCredential || name !== null),
  };
}

/** The credential that the settings or a profile give. */
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
