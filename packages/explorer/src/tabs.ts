// Decides which tabs GraphiQL opens with: the examples for the user, and the documents that the user has edited.
import type { TabsState } from '@graphiql/react';
import { isSameTab, type TabDocument } from './fetch-documents.ts';
import type { ExplorerStorage } from './storage.ts';

/** A tab as GraphiQL stores it. */
interface StoredTab extends TabDocument {
  readonly id: string;
  readonly title: string;
  readonly headers: null;
  readonly operationName: string | null;
  readonly response: null;
}
interface StoredTabs {
  readonly tabs: readonly StoredTab[];
  readonly activeTabIndex: number;
}

const TABS = 'graphiql:tabState';
const EXAMPLES = 'optiongraph:examples';
/** Examples remembered, of all users and API versions in this browser. */
const MAX_EXAMPLES = 100;

/**
 * Stores the tabs of GraphiQL without their headers, which may have credentials. The active tab gets what its editors hold, which
 * GraphiQL reads only after a moment.
 */
export function storeTabs(
  storage: ExplorerStorage,
  { tabs, activeTabIndex }: TabsState,
  edited: TabDocument,
): void {
  const stored = tabs.map(({ id, title, query, variables = null, operationName }, index): StoredTab => {
    const tab = { query: query ?? '', variables };
    return index !== activeTabIndex || isSameTab(tab, edited)
      ? { id, title, ...tab, headers: null, operationName, response: null }
      : createTab(edited, index);
  });
  storeState(storage, { tabs: stored, activeTabIndex });
}

/**
 * Replaces earlier examples in the stored tabs by those for the user. Tabs that the user has edited stay, and a document in the
 * page's address opens in front. GraphiQL reads the result when it starts.
 */
export function placeTabs(storage: ExplorerStorage, examples: readonly TabDocument[]): void {
  const earlier = readStored(storage, EXAMPLES, isList) ?? [];
  const stored = readStored(storage, TABS, isTabs) ?? { tabs: [], activeTabIndex: 0 };
  const others = earlier.filter((one) => !examples.some((example) => isSameTab(one, example)));
  store(storage, EXAMPLES, [...examples, ...others].slice(0, MAX_EXAMPLES));
  const isExample = (tab: TabDocument): boolean => earlier.some((example) => isSameTab(tab, example));
  const untouched = stored.tabs.filter(isExample);
  const isUpToDate =
    stored.tabs.length > 0 &&
    untouched.every((tab) => examples.some((example) => isSameTab(tab, example))) &&
    examples.every((example) => earlier.some((one) => isSameTab(one, example)));
  const edited = stored.tabs.filter((tab) => tab.query && !isExample(tab));
  const tabs = isUpToDate ? stored.tabs.filter((tab) => tab.query) : [...edited, ...examples.map(createTab)];
  const linked = takeLinkedDocument();
  const all =
    linked === null || tabs.some((tab) => isSameTab(tab, linked)) ? tabs : [...tabs, createTab(linked, -1)];
  const active = all.indexOf(stored.tabs[stored.activeTabIndex] ?? ({} as StoredTab));
  const first = isUpToDate ? 0 : Math.min(edited.length, Math.max(all.length - 1, 0));
  const opened = linked === null ? -1 : all.findIndex((tab) => isSameTab(tab, linked));
  const activeTabIndex = opened >= 0 ? opened : active >= 0 ? active : first;
  storeState(storage, { tabs: all, activeTabIndex });
}

/** Stores tabs, and the contents of the active one, which GraphiQL opens from entries of their own. */
function storeState(storage: ExplorerStorage, state: StoredTabs): void {
  if (state.tabs.length === 0) storage.removeItem(TABS);
  else store(storage, TABS, state);
  for (const name of ['query', 'variables', 'headers']) storage.removeItem(`graphiql:${name}`);
  const tab = state.tabs[state.activeTabIndex];
  if (tab?.query) storeText(storage, 'graphiql:query', tab.query);
  if (tab?.variables) storeText(storage, 'graphiql:variables', tab.variables);
}

function createTab({ query, variables }: TabDocument, index: number): StoredTab {
  const name = /^(?:query|mutation|subscription) (\w+)/.exec(query)?.[1] ?? null;
  const id = `tab-${Date.now()}-${index}`;
  const title = name ?? '<untitled>';
  return { id, title, query, variables, headers: null, operationName: name, response: null };
}

/** Reads the document in the page's address, and removes it there. */
function takeLinkedDocument(): TabDocument | null {
  const url = new URL(location.href);
  const query = url.searchParams.get('query');
  if (query === null) return null;
  const variables = url.searchParams.get('variables');
  for (const name of ['query', 'variables', 'operationName']) url.searchParams.delete(name);
  history.replaceState({}, '', url);
  return { query, variables };
}

const isList = (value: unknown): value is readonly TabDocument[] => Array.isArray(value);
const isTabs = (value: unknown): value is StoredTabs =>
  typeof value === 'object' &&
  value !== null &&
  'tabs' in value &&
  Array.isArray(value.tabs) &&
  value.tabs.every((tab: unknown) => typeof tab === 'object' && tab !== null);

/** Reads a stored JSON value; null when it is absent or invalid. */
function readStored<T>(
  storage: ExplorerStorage,
  name: string,
  isValid: (value: unknown) => value is T,
): T | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(name) ?? 'null');
    return isValid(value) ? value : null;
  } catch {
    return null;
  }
}

const store = (storage: ExplorerStorage, name: string, value: object): void =>
  storeText(storage, name, JSON.stringify(value));

function storeText(storage: ExplorerStorage, name: string, text: string): void {
  try {
    storage.setItem(name, text);
  } catch {
    // A full storage keeps what it has.
  }
}
