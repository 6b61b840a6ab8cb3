// Keeps the description of one caller of one API for later commands.
import { hash, scryptSync } from 'node:crypto';
import type { DescriptionKeeper, KeptDescription } from '../../../upstream/description/kept-description.ts';
import { parseDescription } from '../../../upstream/description/parse-description.ts';
import type { CallerConfig } from '../caller-settings.ts';
import type { CallerSecret } from './caller-secret.ts';
import { readStored, removeStored, type StoredDescription, writeStored } from './description-folder.ts';

/** Age from which on a description is not used. Milliseconds. Servers use one for as long at most. */
const MAX_AGE = 3_600_000;

/** The description of one caller, in a file. */
export class CallerDescription implements DescriptionKeeper {
  readonly #name: string;
  readonly #mayUse: boolean;
  /** Undefined: it was not read yet. */
  #stored: StoredDescription | null | undefined;
  #isUsed = false;

  /**
   * @param secret The credential of the caller; null for an anonymous one.
   * @param mayUse Whether the description of an earlier command may be used. It is replaced in any case.
   */
  constructor(upstream: Upstream, secret: CallerSecret | null, mayUse: boolean) {
    this.#name = nameOf(upstream, secret);
    this.#mayUse = mayUse;
  }

  /** Whether the description of an earlier command is used. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** The header of tokens in lower case, as it was described last; null when nothing is stored, or no such header was described. */
  get tokenHeader(): string | null {
    return this.#read()?.tokenHeader ?? null;
  }

  load(): KeptDescription | null {
    const stored = this.#mayUse ? this.#read() : null;
    const age = Date.now() - (stored?.fetchedAt ?? 0);
    this.#isUsed = stored !== null && age >= 0 && age < MAX_AGE;
    return this.#isUsed ? stored : null;
  }

  save(body: string, description: unknown): void {
    const { token } = parseDescription(description).authentication;
    this.#stored = { body, fetchedAt: Date.now(), tokenHeader: token?.httpHeader.toLowerCase() ?? null };
    writeStored(this.#name, this.#stored);
  }

  drop(): void {
    this.#stored = null;
    this.#isUsed = false;
    removeStored(this.#name);
  }

  #read(): StoredDescription | null {
    if (this.#stored === undefined) this.#stored = readStored(this.#name);
    return this.#stored;
  }
}

/** Forgets what any version of the API has described to a session that has ended. */
export function forgetSession(upstream: Upstream, secret: CallerSecret): void {
  const name = nameOf(upstream, secret);
  removeStored(secret.session === null ? name : name.replace(/\..*/, '.'));
}

/** The part of the settings on which descriptions depend, besides the caller. */
type Upstream = CallerConfig['upstream'];

/** The name of the file of a caller. It does not reveal the credential. All files of a session begin alike, up to a point. */
function nameOf({ url, version, transport }: Upstream, secret: CallerSecret | null): string {
  const api = JSON.stringify([url?.href, version, transport.socket, transport.certificate]);
  const digest = hash('sha256', api, 'hex');
  if (secret === null) return `anonymous.${digest}`;
  const { session, kind, value } = secret;
  if (session !== null) return `${hash('sha256', session, 'hex')}.${digest}`;
  const secretText = JSON.stringify([kind, value]);
  // Nobody can guess a token, but a password; scrypt makes that expensive.
  if (kind !== 'basic') return `${hash('sha256', api + secretText, 'hex')}.${digest}`;
  return `${scryptSync(secretText, api, 32).toString('hex')}.${digest}`;
}
