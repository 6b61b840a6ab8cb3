// Decides which tabs GraphiQL opens with: the examples for the user, and the documents that the user has edited.
import type { TabsState } from '@graphiql/react';
import type { GraphiQL } from 'graphiql';
import type { ComponentProps } from 'react';
import { isSameTab, type TabContent, type TabDocument } from './fetch-examples.ts';
import { isWide } from './layout.ts';
import { browserStorage } from './storage.ts';

/** A tab as GraphiQL stores it. */
type StoredTab = Omit<TabsState['tabs'][number], 'hash'>;
interface StoredTabs {
  readonly tabs: readonly StoredTab[];
  readonly activeTabIndex: number;
}

const PREFIX = 'graphiql:';
const PANE = `${PREFIX}visiblePlugin`;
const TABS = `${PREFIX}tabState`;
/** The contents of the active tab, which GraphiQL opens from entries of their own. */
const ACTIVE = ['query', 'variables', 'headers'] as const;
const OWN: readonly string[] = [TABS, ...ACTIVE.map((name) => PREFIX + name)];
const EXAMPLES = 'optiongraph:examples';
/** Examples remembered, of all users and API versions in this browser. */
const MAX_EXAMPLES = 100;

/**
 * The storage of GraphiQL, but for the tabs, which `storeTabs` writes at once: GraphiQL puts that off, and does it even when it is
 * gone, which would replace what is newer. The user's command to clear it removes GraphiQL's own entries only.
 */
export const graphiqlStorage: NonNullable<ComponentProps<typeof GraphiQL>['storage']> = {
  // A pane that was open on a wide page would cover the editor of a narrow one.
  getItem: (name) => (name === PANE && !isWide() ? null : browserStorage.readText(name)),
  setItem: (name, text) => void (OWN.includes(name) || browserStorage.write(name, text)),
  removeItem: (name) => void (OWN.includes(name) || browserStorage.write(name, null)),
  clear() {
    for (const name of ownNames()) browserStorage.write(name, null);
  },
  get length() {
    return ownNames().length;
  },
};

const ownNames = (): readonly string[] => browserStorage.names.filter((name) => name.startsWith(PREFIX));

/** Stores tabs without their headers, which may have credentials and are in the hash too, and without results. */
export function storeTabs({ tabs, activeTabIndex }: StoredTabs): void {
  const stored = tabs.map((tab) => ({ ...tab, hash: null, headers: null, response: null }));
  browserStorage.write(TABS, stored.length === 0 ? null : JSON.stringify({ tabs: stored, activeTabIndex }));
  for (const name of ACTIVE) browserStorage.write(PREFIX + name, stored[activeTabIndex]?.[name] || null);
}

/**
 * Replaces earlier examples in the stored tabs by those for the user. Tabs that the user has edited stay, and a document in the
 * page's address opens in front. GraphiQL reads the result when it starts.
 */
export function placeTabs(examples: readonly TabDocument[]): void {
  const earlier = listOf<TabDocument>(browserStorage.read(EXAMPLES));
  const stored = browserStorage.read(TABS) as Partial<StoredTabs> | null;
  const open = listOf<StoredTab>(stored?.tabs).filter(({ query }) => query);
  const others = earlier.filter((one) => !has(examples, one));
  browserStorage.write(EXAMPLES, JSON.stringify([...examples, ...others].slice(0, MAX_EXAMPLES)));
  const edited = open.filter((tab) => !has(earlier, tab));
  const isUpToDate =
    open.length > 0 &&
    open.every((tab) => edited.includes(tab) || has(examples, tab)) &&
    examples.every((example) => has(earlier, example));
  const tabs = isUpToDate ? open : [...edited, ...examples.map(createTab)];
  const linked = takeLinkedDocument();
  if (linked !== null && !has(tabs, linked)) tabs.push(createTab(linked));
  const active = tabs.findIndex(({ id }) => id === stored?.tabs?.[stored.activeTabIndex ?? 0]?.id);
  const opened = linked === null ? active : tabs.findIndex((tab) => isSameTab(tab, linked));
  const first = isUpToDate ? 0 : Math.min(edited.length, Math.max(tabs.length - 1, 0));
  storeTabs({ tabs, activeTabIndex: opened >= 0 ? opened : first });
}

const has = (tabs: readonly TabContent[], tab: TabContent): boolean =>
  tabs.some((one) => isSameTab(one, tab));

function createTab({ query, variables }: TabDocument): StoredTab {
  const name = /^(?:query|mutation|subscription) (\w+)/.exec(query)?.[1] ?? null;
  const title = name ?? '<untitled>';
  const id = String(Math.random());
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

/** The objects of a stored list; none of what is damaged. */
const listOf = <T extends object>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
