// Stores the state of the page in the session storage of the browser tab.

/** The header that carries the user's credential. */
export interface PageCredential {
  readonly name: string;
  readonly value: string;
  /** Whether this page has issued the token, and so revokes it at the end. */
  readonly isIssued: boolean;
}

const CREDENTIAL = 'optiongraph:credential';

/** Reads a stored text; null for none, or without storage. */
export function readText(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text; null removes it. Without storage, it is lost when the page is closed or loaded again. */
export function storeText(name: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // Browsers can deny storage.
  }
}

/** Reads the stored credential; null for none, or for a header that the API does not use. */
export function readCredential(headerNames: readonly string[]): PageCredential | null {
  try {
    const { name, value, isIssued } = JSON.parse(readText(CREDENTIAL) ?? 'null') as PageCredential;
    return headerNames.includes(name) ? { name, value, isIssued } : null;
  } catch {
    return null;
  }
}

/** Stores a credential; null removes it. */
export function storeCredential(credential: PageCredential | null): void {
  storeText(CREDENTIAL, credential === null ? null : JSON.stringify(credential));
}
