import { randomInt } from 'node:crypto';

/** Who may read a snippet (spec: Snippet service). */
export const accessibilities = { public: 0, unlisted: 1, loggedUsers: 2, private: 3 } as const;

/** One of `accessibilities`. */
export type Accessibility = (typeof accessibilities)[keyof typeof accessibilities];

/** A snippet as it is kept. */
export interface Snippet {
  /** Its place in the URL. */
  readonly code: string;
  readonly title: string;
  readonly fileName: string;
  readonly language: string;
  readonly content: string;
  readonly accessibility: Accessibility;
  /** Milliseconds since 1970. */
  readonly expiration: number;
  /** Login; null for a snippet that was created without a key. */
  readonly owner: string | null;
}

/** The snippets of one service; what has expired is gone. */
export interface SnippetStore {
  add(snippet: Omit<Snippet, 'code'>): Snippet;
  find(code: string): Snippet | undefined;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const codeLength = 8;

/** An empty store. */
export function createSnippetStore(now: () => number): SnippetStore {
  const snippets = new Map<string, Snippet>();

  function removeExpired(): void {
    for (const [code, { expiration }] of snippets) if (expiration <= now()) snippets.delete(code);
  }

  return {
    add(snippet) {
      removeExpired();
      const added = { ...snippet, code: newCode(snippets) };
      snippets.set(added.code, added);
      return added;
    },
    find(code) {
      removeExpired();
      return snippets.get(code);
    },
  };
}

/** Not to be guessed: an unlisted snippet is known to those alone who know its URL. */
function newCode(taken: ReadonlyMap<string, unknown>): string {
  const code = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  return taken.has(code) ? newCode(taken) : code;
}
