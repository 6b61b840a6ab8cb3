// Keeps the user's credential in the browser tab.
import { config } from '../config.ts';
import { tabStorage } from '../storage.ts';

/** The header that carries the user's credential. */
export interface PageCredential {
  readonly name: string;
  readonly value: string;
  /** Whether this page has issued the token, and so revokes it at the end. */
  readonly isIssued: boolean;
}

const CREDENTIAL = 'optiongraph:credential';

/** Reads the stored credential; null for none, or for a header that the API does not use. */
export function readCredential(): PageCredential | null {
  const stored = tabStorage.read(CREDENTIAL) as PageCredential | null;
  return stored !== null && config.headerNames.includes(stored.name) ? stored : null;
}

/** Stores a credential; null removes it. */
export const storeCredential = (credential: PageCredential | null): void =>
  void tabStorage.write(CREDENTIAL, credential === null ? null : JSON.stringify(credential));
