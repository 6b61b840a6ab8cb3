// The browser's storages, or variables of the page where the browser denies them.

/** A storage of texts by name. Names begin with the program that they belong to, such as `graphiql:`. */
export class PageStorage {
  /** Whether the browser keeps it when the page is closed or loaded again. */
  readonly isKept: boolean;
  readonly #texts: Record<string, string>;

  constructor(name: 'localStorage' | 'sessionStorage') {
    const found = findStorage(name);
    this.isKept = found !== null;
    this.#texts = found ?? {};
  }

  get names(): readonly string[] {
    return Object.keys(this.#texts);
  }

  readText(name: string): string | null {
    return this.#texts[name] ?? null;
  }

  /** Reads a JSON value; null when it is absent or damaged. */
  read(name: string): unknown {
    try {
      return JSON.parse(this.readText(name) ?? 'null');
    } catch {
      return null;
    }
  }

  /** Stores a text; null removes it. @returns Whether it is stored: a full storage keeps what it has. */
  write(name: string, text: string | null): boolean {
    try {
      if (text === null) Reflect.deleteProperty(this.#texts, name);
      else this.#texts[name] = text;
      return true;
    } catch {
      return false;
    }
  }
}

function findStorage(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[name];
  } catch {
    return null;
  }
}

/** What all pages of this server in the browser share. */
export const browserStorage = new PageStorage('localStorage');

/** What one tab of the browser keeps. */
export const tabStorage = new PageStorage('sessionStorage');
