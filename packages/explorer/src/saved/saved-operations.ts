// Keeps named operations in the storage of the browser, which all pages of the server share.
import { isSameTab, type TabDocument } from '../fetch-documents.ts';
import type { OpenedStorage } from '../storage.ts';

/** An operation with the name that the user has given it. It never has headers, which may hold credentials. */
export interface SavedOperation extends TabDocument {
  readonly name: string;
}

/** What became of operations that were added. */
export interface Added {
  /** Names that were new. */
  readonly added: readonly string[];
  /** Names of earlier operations that others have replaced. */
  readonly replaced: readonly string[];
}

const SAVED = 'optiongraph:saved';

/** The saved operations, for React. Each change begins with what is stored, because another page may have changed it. */
export class SavedOperations {
  readonly #storage: OpenedStorage;
  readonly #listeners = new Set<() => void>();
  #text: string | null = null;
  #operations: readonly SavedOperation[] = [];

  constructor(storage: OpenedStorage) {
    this.#storage = storage;
    // Another page has changed something.
    window.addEventListener('storage', () => this.#notify());
  }

  /** Whether they are still there when the page is opened again. */
  get isKept(): boolean {
    return this.#storage.isKept;
  }

  /** The operations by name; the same list until one changes. Damaged ones are left out. */
  readonly read = (): readonly SavedOperation[] => {
    const text = this.#storage.getItem(SAVED);
    if (text !== this.#text) {
      this.#text = text;
      this.#operations = readOperations(text);
    }
    return this.#operations;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds operations. Each replaces the one that has its name. @throws Error when the browser has no room. */
  add(operations: readonly SavedOperation[]): Added {
    const all = new Map(this.read().map((operation) => [operation.name, operation]));
    const added: string[] = [];
    const replaced: string[] = [];
    for (const operation of operations) {
      const known = all.get(operation.name);
      if (known === undefined) added.push(operation.name);
      else if (!isSameTab(known, operation)) replaced.push(operation.name);
      all.set(operation.name, operation);
    }
    this.store([...all.values()]);
    return { added, replaced };
  }

  remove(name: string): void {
    this.store(this.read().filter((operation) => operation.name !== name));
  }

  /** Gives an operation another name. @throws Error when another operation has it. */
  rename(from: string, to: string): void {
    const operations = this.read();
    if (to !== from && operations.some(({ name }) => name === to))
      throw new Error(`Another operation is called “${to}”. Choose another name, or delete that one.`);
    this.store(operations.map((one) => (one.name === from ? { ...one, name: to } : one)));
  }

  /** Replaces all operations, for example by those before a change. @throws Error when the browser has no room. */
  store(operations: readonly SavedOperation[]): void {
    const sorted = [...operations].sort((a, b) => a.name.localeCompare(b.name));
    try {
      this.#storage.setItem(SAVED, JSON.stringify(sorted));
    } catch {
      throw new Error('The browser has no more room for this page. Export operations, and delete some.');
    }
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function readOperations(text: string | null): readonly SavedOperation[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isSaved) : [];
  } catch {
    return [];
  }
}

const isSaved = (value: Partial<SavedOperation> | null): value is SavedOperation =>
  typeof value?.name === 'string' &&
  typeof value.query === 'string' &&
  (value.variables === null || typeof value.variables === 'string');
