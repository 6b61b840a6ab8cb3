// Keeps named operations in the storage of the browser, which all pages of the server share.
import { create } from 'zustand';
import { isSameTab, type TabDocument } from '../fetch-documents.ts';
import { browserStorage } from '../storage.ts';

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

/** The operations by name; damaged ones are left out. Changes begin with them, because another page may have changed something. */
function readSaved(): readonly SavedOperation[] {
  const value = browserStorage.read(SAVED);
  return Array.isArray(value) ? value.filter(isSaved) : [];
}

const isSaved = (value: Partial<SavedOperation> | null): value is SavedOperation =>
  typeof value?.name === 'string' &&
  typeof value.query === 'string' &&
  (value.variables === null || typeof value.variables === 'string');

/** The saved operations by name, for React. */
export const useSaved = create(readSaved);

window.addEventListener('storage', ({ key }) => {
  // Null when all is removed.
  if (key === SAVED || key === null) useSaved.setState(readSaved(), true);
});

/** Adds operations. Each replaces the one that has its name. @throws Error when the browser has no room. */
export function addOperations(operations: readonly SavedOperation[]): Added {
  const all = new Map(readSaved().map((operation) => [operation.name, operation]));
  const added: string[] = [];
  const replaced: string[] = [];
  for (const operation of operations) {
    const known = all.get(operation.name);
    if (known === undefined) added.push(operation.name);
    else if (!isSameTab(known, operation)) replaced.push(operation.name);
    all.set(operation.name, operation);
  }
  storeOperations([...all.values()]);
  return { added, replaced };
}

/** Removes an operation. */
export const removeOperation = (removed: string): void =>
  storeOperations(readSaved().filter(({ name }) => name !== removed));

/** Gives an operation another name. @throws Error when another operation has it. */
export function renameOperation(from: string, to: string): void {
  const operations = readSaved();
  if (to !== from && operations.some(({ name }) => name === to))
    throw new Error(`Another operation is called “${to}”. Choose another name, or delete that one.`);
  storeOperations(operations.map((one) => (one.name === from ? { ...one, name: to } : one)));
}

/** Replaces all operations, for example by those before a change. @throws Error when the browser has no room. */
export function storeOperations(operations: readonly SavedOperation[]): void {
  const sorted = [...operations].sort((a, b) => a.name.localeCompare(b.name));
  if (!browserStorage.write(SAVED, JSON.stringify(sorted)))
    throw new Error('The browser has no more room for this page. Export operations, and delete some.');
  useSaved.setState(sorted, true);
}
