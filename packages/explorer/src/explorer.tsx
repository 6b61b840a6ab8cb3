// The page of the explorer: GraphiQL with the account of the user, the progress of actions and the upstream calls.
import { DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { VisuallyHidden } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import 'graphiql/graphiql.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import './explorer.css';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { fetchExamples, type TabDocument } from './fetch-examples.ts';
import { isWide } from './layout.ts';
import { leaveEditorsByEscape } from './leave-editor.ts';
import { sendOperation } from './operations/fetcher.ts';
import { forgetOperation } from './operations/last-operation.ts';
import { ABOUT_PLUGIN } from './panels/about-panel.tsx';
import { AccountButton } from './panels/account-button.tsx';
import { CALLS_PLUGIN } from './panels/calls-panel.tsx';
import { DOCUMENTATION_PLUGIN } from './panels/documentation.tsx';
import { LiveButton } from './panels/live-button.tsx';
import { LiveLine } from './panels/live-line.tsx';
import { ProgressPanel } from './panels/progress-panel.tsx';
import { ResponseLine } from './panels/response-line.tsx';
import { TABLE_PLUGIN } from './panels/table-panel.tsx';
import { ThemeFollower } from './panels/theme-follower.tsx';
import { ViewKeeper } from './panels/view-keeper.tsx';
import { session, useSession } from './session/session.ts';
import { graphiqlStorage, placeTabs, storeTabs } from './tabs.ts';

const PLUGINS = [ABOUT_PLUGIN, HISTORY_PLUGIN, TABLE_PLUGIN, CALLS_PLUGIN];

/** Another caller has another schema and other tabs, and so another GraphiQL. */
function Explorer() {
  const caller = useSession((shown) => shown.caller);
  /** The caller whose examples are placed. */
  const [shownCaller, setShownCaller] = useState(caller);
  useEffect(() => {
    if (caller === shownCaller) return;
    void fetchExamples().then((examples) => {
      if (examples !== null) placeTabs(examples);
      setShownCaller(caller);
    });
  }, [caller, shownCaller]);
  return <Workbench key={shownCaller} />;
}

/** GraphiQL for one caller. */
function Workbench() {
  const [settings] = useState(initialSettings);
  /** A GraphiQL that is gone still reads what was typed a moment before, and shows the results of what it has begun. */
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
      forgetOperation();
    },
    [],
  );
  return (
    <GraphiQL
      fetcher={sendOperation}
      storage={graphiqlStorage}
      plugins={PLUGINS}
      referencePlugin={DOCUMENTATION_PLUGIN}
      onTabChange={(tabs) => {
        if (isShown.current) storeTabs(tabs);
      }}
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
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <ResponseLine />
        <LiveLine />
        <ProgressPanel />
      </GraphiQL.Footer>
      <VisuallyHidden asChild>
        <h1>Optiongraph explorer</h1>
      </VisuallyHidden>
      {/* Follows clicks on names in the editor. GraphiQL brings it only for its own documentation. */}
      <DocExplorerStore>{null}</DocExplorerStore>
      <ThemeFollower />
      <ViewKeeper />
    </GraphiQL>
  );
}

/** Callers who are not signed in see what this API is, unless that would cover the editor, and which header the server gives them. */
function initialSettings() {
  const headers = JSON.stringify(session.defaultHeaders, null, 2);
  return {
    ...(useSession.getState().state.kind === 'signed-out' && isWide() ? { visiblePlugin: ABOUT_PLUGIN } : {}),
    ...(headers === '{}'
      ? {}
      : { defaultHeaders: headers, defaultEditorToolsVisibility: 'headers' as const }),
  };
}

/** Shows the explorer with the examples for the user. */
export function renderExplorer(examples: readonly TabDocument[]): void {
  if (examples.length > 0) placeTabs(examples);
  leaveEditorsByEscape();
  createRoot(document.getElementById('root') as HTMLElement).render(<Explorer />);
}
