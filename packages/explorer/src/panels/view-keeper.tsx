// Keeps the editor in view: without a pane that covers it, and from the beginning of its lines.
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef } from 'react';
import { onNarrow } from '../layout.ts';
import { useActiveTab } from './use-active-tab.ts';

/** Closes the pane when the page becomes narrow, and shows each tab from its beginning: the editors are the same for all tabs. */
export function ViewKeeper(): null {
  const { setVisiblePlugin } = useGraphiQLActions();
  useEffect(() => onNarrow(() => setVisiblePlugin(null)), [setVisiblePlugin]);
  const tab = useActiveTab();
  const editors = useGraphiQL(pick('queryEditor', 'variableEditor', 'headerEditor', 'responseEditor'));
  const shownTab = useRef(tab);
  useEffect(() => {
    if (shownTab.current === tab) return;
    shownTab.current = tab;
    for (const editor of Object.values(editors)) editor?.setScrollPosition({ scrollLeft: 0, scrollTop: 0 });
  }, [tab, editors]);
  return null;
}
