// The page of the explorer: GraphiQL with the account of the user, the progress of actions and the upstream calls.
import { VisuallyHidden } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import 'graphiql/graphiql.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import './explorer.css';
import { type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { ExplorerContext, useExplorer, WIDE } from './explorer-context.ts';
import { fetchDocuments, type TabDocument } from './fetch-documents.ts';
import { leaveEditorsByEscape } from './leave-editor.ts';
import { createFetcher } from './operations/fetcher.ts';
import { OperationMonitor } from './operations/last-operation.ts';
import { ABOUT_PLUGIN } from './panels/about-panel.tsx';
import { AccountButton } from './panels/account-button.tsx';
import { CALLS_PLUGIN } from './panels/calls-panel.tsx';
import { CopyAsButton } from './panels/copy-as-button.tsx';
import { LiveButton } from './panels/live-button.tsx';
import { LiveLine } from './panels/live-line.tsx';
import { ProgressPanel } from './panels/progress-panel.tsx';
import { ThemeFollower } from './panels/theme-follower.tsx';
import { SavedOperations } from './saved/saved-operations.ts';
import { SAVED_PLUGIN } from './saved/saved-panel.tsx';
import type { PageSession } from './session/session.ts';
import { lendStorage, openStorage } from './storage.ts';
import { TabSaver } from './tab-saver.ts';
import { placeTabs } from './tabs.ts';

const PLUGINS = [ABOUT_PLUGIN, SAVED_PLUGIN, HISTORY_PLUGIN, CALLS_PLUGIN];
const storage = openStorage();
const saved = new SavedOperations(storage);
const monitor = new OperationMonitor();

function Explorer({ session }: { readonly session: PageSession }) {
  const caller = useSyncExternalStore(session.subscribe, session.readCaller);
  /** The caller whose examples are placed. */
  const [shownCaller, setShownCaller] = useState(caller);
  const [isAccountOpen, openAccount] = useState(() => {
    const state = session.read();
    return state.kind === 'signed-out' && state.hasEnded;
  });
  /** Saves the tabs of the GraphiQL that is shown, because the next one starts from what is stored. */
  const saveTabs = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (caller === shownCaller) return;
    void fetchDocuments(session, 'examples').then((examples) => {
      saveTabs.current?.();
      if (examples !== null) placeTabs(storage, examples);
      setShownCaller(caller);
    });
  }, [session, caller, shownCaller]);
  const context = useMemo(
    () => ({ session, monitor, saved, isAccountOpen, openAccount }),
    [session, isAccountOpen],
  );
  return (
    <ExplorerContext value={context}>
      {/* Another caller has another schema and other tabs. */}
      <Workbench key={shownCaller} saveTabs={saveTabs} />
    </ExplorerContext>
  );
}

/** GraphiQL for one caller. */
function Workbench({ saveTabs }: { readonly saveTabs: RefObject<(() => void) | null> }) {
  const { session } = useExplorer();
  const [settings] = useState(() => initialSettings(session));
  const [fetcher] = useState(() => createFetcher(session, monitor));
  const [{ lent, takeBack }] = useState(() => lendStorage(storage));
  useEffect(() => takeBack, [takeBack]);
  return (
    <GraphiQL
      fetcher={fetcher}
      storage={lent}
      plugins={PLUGINS}
      {...settings}
      showPersistHeadersSettings={false}
      inputValueDeprecation
      schemaDescription
    >
      <GraphiQL.Logo>
        <AccountButton />
      </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            <LiveButton />
            {prettify}
            {merge}
            {copy}
            <CopyAsButton />
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <LiveLine />
        <ProgressPanel />
      </GraphiQL.Footer>
      <VisuallyHidden asChild>
        <h1>Optiongraph explorer</h1>
      </VisuallyHidden>
      <ThemeFollower />
      <TabSaver ref={saveTabs} storage={lent} />
    </GraphiQL>
  );
}

/** Callers who are not signed in see what this API is, unless that would cover the editor, and which header the server gives them. */
function initialSettings({ read, defaultHeaders }: PageSession) {
  const hasHeaders = Object.keys(defaultHeaders).length > 0;
  return {
    ...(read().kind === 'signed-out' && matchMedia(WIDE).matches ? { visiblePlugin: ABOUT_PLUGIN } : {}),
    ...(hasHeaders
      ? {
          defaultHeaders: JSON.stringify(defaultHeaders, null, 2),
          defaultEditorToolsVisibility: 'headers' as const,
        }
      : {}),
  };
}

/** Shows the explorer with the examples for the user. */
export function renderExplorer(session: PageSession, examples: readonly TabDocument[]): void {
  if (examples.length > 0) placeTabs(storage, examples);
  leaveEditorsByEscape();
  createRoot(document.getElementById('root') as HTMLElement).render(<Explorer session={session} />);
}
