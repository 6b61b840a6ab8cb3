// Saves the tabs at once: GraphiQL stores what was typed only half a second later.
import { pick, useGraphiQL } from '@graphiql/react';
import { type RefObject, useImperativeHandle } from 'react';
import type { ExplorerStorage } from './storage.ts';
import { storeTabs } from './tabs.ts';

/** A component within GraphiQL. The ref gets a function that saves the tabs as they are then, without headers. */
export function TabSaver({
  ref,
  storage,
}: {
  readonly ref: RefObject<(() => void) | null>;
  readonly storage: ExplorerStorage;
}): null {
  const state = useGraphiQL(pick('tabs', 'activeTabIndex', 'queryEditor', 'variableEditor'));
  useImperativeHandle(ref, () => () => {
    const { queryEditor, variableEditor } = state;
    if (queryEditor === undefined) return;
    const variables = variableEditor?.getValue() ?? null;
    storeTabs(storage, state, { query: queryEditor.getValue(), variables });
  });
  return null;
}
