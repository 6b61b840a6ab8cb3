// Opens an operation in GraphiQL.
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { isSameTab, type TabDocument } from '../fetch-documents.ts';
import { isWide } from '../layout.ts';

/** Makes a function that shows a document in the tab that has it already, in an empty one, or in a new one, and leads to its editor. */
export function useOpenOperation(): (document: TabDocument) => void {
  const { tabs, activeTabIndex, queryEditor, variableEditor } = useGraphiQL(
    pick('tabs', 'activeTabIndex', 'queryEditor', 'variableEditor'),
  );
  const { addTab, changeTab, updateActiveTabValues, setVisiblePlugin } = useGraphiQLActions();
  return ({ query, variables }) => {
    // The tab gets what is typed only after a moment.
    const edited = { query: queryEditor?.getValue() ?? '', variables: variableEditor?.getValue() ?? null };
    const found = tabs.findIndex((tab, index) =>
      isSameTab(index === activeTabIndex ? edited : tab, { query, variables }),
    );
    if (found >= 0) {
      if (found !== activeTabIndex) changeTab(found);
    } else {
      if (edited.query.trim() !== '') addTab();
      updateActiveTabValues({ query, variables });
      queryEditor?.setValue(query);
      variableEditor?.setValue(variables ?? '');
    }
    // There, the pane covers the editor.
    if (!isWide()) setVisiblePlugin(null);
    document.querySelector<HTMLElement>('section[aria-label="Operation Editor"] .graphiql-editor')?.focus();
  };
}
