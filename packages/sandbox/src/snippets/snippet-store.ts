// Stores the snippets of one service in memory.
import { randomInt } from 'node:crypto';

/** The values of `accessibility`: who may read a snippet (specification: Snippet service). */
export const ACCESSIBILITIES = { public: 0, unlisted: 1, loggedUsers: 2, private: 3 } as const;

/** A value of `accessibility`. */
export type Accessibility = (typeof ACCESSIBILITIES)[keyof typeof ACCESSIBILITIES];

/** A stored snippet. */
export interface Snippet {
  /** The path segment of its URL. */
  readonly code: string;
  readonly title: string;
  readonly fileName: string;
  readonly language: string;
  readonly content: string;
  readonly accessibility: Accessibility;
  /** When the snippet expires, in milliseconds since 1970. */
  readonly expiration: number;
  /** The login of the user who created it. Null: it was created without an API key. */
  readonly owner: string | null;
}

/** The snippets of one service. Expired snippets are removed. */
export interface SnippetStore {
  add(snippet: Omit<Snippet, 'code'>): Snippet;
  find(code: string): Snippet | undefined;
}

const CODE_ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const CODE_LENGTH = 8;

/** Creates an empty store. */
export function createSnippetStore(now: () => number): SnippetStore {
  const snippets = new Map<string, Snippet>();

  function removeExpired(): void {
    for (const [code, { expiration }] of snippets) if (expiration <= now()) snippets.delete(code);
  }

  return {
    add(snippet) {
      removeExpired();
      const added = { ...snippet, code: createCode(snippets) };
      snippets.set(added.code, added);
      return added;
    },
    find(code) {
      removeExpired();
      return snippets.get(code);
    },
  };
}

/** The code is random because anybody who knows the URL of an unlisted snippet can read it. */
function createCode(taken: ReadonlyMap<string, unknown>): string {
  const code = Array.from({ length: CODE_LENGTH }, () =>
    CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length)),
  ).join('');
  return taken.has(code) ? createCode(taken) : code;
}
