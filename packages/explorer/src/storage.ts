// GraphiQL's storage: the browser's, or variables of the page where the browser denies it.
import type { GraphiQL } from 'graphiql';
import type { ComponentProps } from 'react';

/** The storage that GraphiQL takes. */
export type ExplorerStorage = NonNullable<ComponentProps<typeof GraphiQL>['storage']>;

/** The storage of the page. */
export interface OpenedStorage extends ExplorerStorage {
  /** Whether the browser keeps it. */
  readonly isKept: boolean;
}

const PREFIX = 'graphiql:';

function findStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Opens the storage. The user's command to clear it removes GraphiQL's own entries only. */
export function openStorage(): OpenedStorage {
  const kept = findStorage();
  const ownValues = new Map<string, string>();
  const ownNames = (): string[] =>
    (kept === null ? [...ownValues.keys()] : Object.keys(kept)).filter((name) => name.startsWith(PREFIX));
  const removeItem = (name: string): void => {
    if (kept === null) ownValues.delete(name);
    else kept.removeItem(name);
  };
  return {
    isKept: kept !== null,
    getItem: (name) => (kept === null ? (ownValues.get(name) ?? null) : kept.getItem(name)),
    setItem: (name, value) => void (kept === null ? ownValues.set(name, value) : kept.setItem(name, value)),
    removeItem,
    clear: () => ownNames().forEach(removeItem),
    get length() {
      return ownNames().length;
    },
  };
}

/**
 * Lends a storage to one GraphiQL. Once `takeBack` is called, nothing is written: a GraphiQL that is gone still writes what it has put
 * off, which would replace what is newer.
 */
export function lendStorage(storage: ExplorerStorage) {
  let isLent = true;
  return {
    lent: {
      getItem: (name) => storage.getItem(name),
      setItem: (name, value) => void (isLent && storage.setItem(name, value)),
      removeItem: (name) => void (isLent && storage.removeItem(name)),
      clear: () => void (isLent && storage.clear()),
      get length() {
        return storage.length;
      },
    } satisfies ExplorerStorage,
    takeBack: () => {
      isLent = false;
    },
  };
}
