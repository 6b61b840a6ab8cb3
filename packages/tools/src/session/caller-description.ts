// Keeps the description of one caller of one API for later commands, in a file that only its owner can read.
import { hash, randomUUID, scryptSync } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readStored, writeStored } from '../../../../src/upstream/description/description-cache.ts';
import type {
  DescriptionKeeper,
  KeptDescription,
} from '../../../../src/upstream/description/kept-description.ts';
import { makeFolders } from '../../../../src/upstream/description/make-folders.ts';
import type { Credential } from '../../../../src/upstream/http/caller.ts';
import type { CallerConfig, CallerSecret } from '../caller-settings.ts';
import { checkFolder, readPrivately, userFolder, writePrivately } from '../private-file.ts';

/** Age from which on a description is not used. Milliseconds. Servers use one for as long at most. */
const MAX_AGE = 3_600_000;

/** Files that are stored at most, those under way included. */
const MAX_FILES = 32;
/** Longest description that is stored, in characters. */
const MAX_LENGTH = 16_000_000;

/** What a file says of the body that it holds. */
const head = z.object({
  /** Milliseconds since 1970. */
  fetchedAt: z.number(),
});

interface StoredDescription extends z.output<typeof head> {
  readonly body: string;
}

/** The descriptions of one caller and of the operator, in files. */
export class KeptDescriptions {
  readonly #own: CallerDescription;
  readonly #operator: CallerDescription;
  readonly #operatorKey: string | undefined;

  /**
   * @param secret The credential of the caller; null for an anonymous one.
   * @param mayUse Whether the descriptions of earlier commands may be used. They are replaced in any case.
   */
  constructor(upstream: Upstream, secret: CallerSecret | null, mayUse: boolean) {
    const { authorization: operator } = upstream;
    this.#operatorKey = operator?.key;
    this.#operator = new CallerDescription(upstream, operator && { ...operator, session: null }, mayUse);
    this.#own =
      secret === null && operator === null ? this.#operator : new CallerDescription(upstream, secret, mayUse);
  }

  /** Whether the description of an earlier command is used. */
  get areUsed(): boolean {
    return this.#own.isUsed || this.#operator.isUsed;
  }

  keeperFor(credential: Credential | null): DescriptionKeeper {
    return credential?.key === this.#operatorKey ? this.#operator : this.#own;
  }

  dropOwn(): void {
    this.#own.drop();
  }

  dropAll(): void {
    this.#own.drop();
    this.#operator.drop();
  }
}

/** The description of one caller, in a file. */
class CallerDescription implements DescriptionKeeper {
  readonly #name: string;
  readonly #mayUse: boolean;
  /** Undefined: it was not read yet. */
  #stored: StoredDescription | null | undefined;
  #isUsed = false;

  constructor(upstream: Upstream, secret: CallerSecret | null, mayUse: boolean) {
    this.#name = nameOf(upstream, secret);
    this.#mayUse = mayUse;
  }

  /** Whether the description of an earlier command is used. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  load(): KeptDescription | null {
    if (this.#mayUse && this.#stored === undefined) this.#stored = readFile(this.#name);
    const stored = this.#stored ?? null;
    const age = Date.now() - (stored?.fetchedAt ?? 0);
    this.#isUsed = stored !== null && age >= 0 && age < MAX_AGE;
    return this.#isUsed ? stored : null;
  }

  save(body: string): void {
    this.#stored = null;
    writeFile(this.#name, { body, fetchedAt: Date.now() });
  }

  drop(): void {
    this.#stored = null;
    this.#isUsed = false;
    removeStored(this.#name);
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
function nameOf({ url, version, socket, certificate }: Upstream, secret: CallerSecret | null): string {
  const api = JSON.stringify([url?.href, version, socket, certificate]);
  const digest = hash('sha256', api, 'hex');
  if (secret === null) return `anonymous.${digest}`;
  const { session, kind, value } = secret;
  if (session !== null) return `${hash('sha256', session, 'hex')}.${digest}`;
  const secretText = JSON.stringify([kind, value]);
  // Nobody can guess a token, but a password; scrypt makes that expensive.
  if (kind !== 'basic') return `${hash('sha256', api + secretText, 'hex')}.${digest}`;
  return `${scryptSync(secretText, api, 32).toString('hex')}.${digest}`;
}

const folder = (): string => join(userFolder('XDG_CACHE_HOME', '.cache'), 'descriptions');

/** Reads a description. Null when there is none, its file is damaged, or other users may read or change it. */
function readFile(name: string): StoredDescription | null {
  try {
    const stored = readStored(readPrivately(join(folder(), name)));
    return stored && { ...head.parse(stored.head), body: stored.body };
  } catch {
    return null;
  }
}

/** Stores a description. Nothing is stored where that fails, because commands work without. */
function writeFile(name: string, { body, ...rest }: StoredDescription): void {
  if (body.length > MAX_LENGTH) return;
  const file = join(folder(), name);
  try {
    makeFolders(folder(), 0o700);
    checkFolder(folder());
    removeOldest();
    writePrivately(file, writeStored(rest, body), `${file}.${randomUUID()}`);
  } catch {
    // The next command fetches the description again.
  }
}

/** Removes the descriptions whose names begin so. */
function removeStored(prefix: string): void {
  try {
    for (const name of readdirSync(folder()))
      if (name.startsWith(prefix)) rmSync(join(folder(), name), { force: true });
  } catch {
    // There is no folder, or one in which this user has stored nothing.
  }
}

/** Makes room for one file. */
function removeOldest(): void {
  const files = readdirSync(folder()).map((name) => {
    const path = join(folder(), name);
    return { path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  files.sort((a, b) => b.time - a.time);
  for (const { path } of files.slice(MAX_FILES - 1)) rmSync(path, { force: true });
}
