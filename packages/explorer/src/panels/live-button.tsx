// The switch that makes a query live: it shows and changes the directive in the text, which stays what is executed, stored and copied.
import {
  pick,
  ToolbarButton,
  useGraphiQL,
  useGraphiQLActions,
  useOperationsEditorState,
} from '@graphiql/react';
import { useEffect, useRef } from 'react';
import { useLastOperation } from '../operations/last-operation.ts';
import { readLiveSwitch } from '../operations/live-directive.ts';
import { applyEdit } from '../operations/text-edit.ts';
import { LineIcon } from './line-icon.tsx';
import { useActiveTab } from './use-active-tab.ts';

/** A button of the toolbar. Turning it on executes the query; turning it off stops it, and stopping the query turns it off. */
export function LiveButton() {
  const { queryEditor, operationName } = useGraphiQL(pick('queryEditor', 'operationName'));
  const { run, stop } = useGraphiQLActions();
  const [text] = useOperationsEditorState();
  const state = readLiveSwitch(text, operationName ?? null);
  // Another user gets another GraphiQL, which could not stop what this one has begun.
  useEffect(() => stop, [stop]);

  const isStopped = useLastOperation((last) => last?.isLiveStopped === true);
  const tab = useActiveTab();
  const seen = useRef({ isStopped, tab });
  useEffect(() => {
    const before = seen.current;
    seen.current = { isStopped, tab };
    // Turning to another tab stops the query too, and keeps its text.
    if (!isStopped || before.isStopped || before.tab !== tab || queryEditor === undefined) return;
    const current = readLiveSwitch(queryEditor.getValue(), operationName ?? null);
    if (current?.isLive === true) applyEdit(queryEditor, current.edit);
  }, [isStopped, tab, queryEditor, operationName]);

  function toggle(): void {
    if (state === null || queryEditor === undefined) return;
    applyEdit(queryEditor, state.edit);
    stop();
    if (!state.isLive) void run();
  }

  return (
    <ToolbarButton
      label="Live query (@live)"
      aria-pressed={state?.isLive ?? false}
      // A disabled button would lose the keyboard's focus.
      aria-disabled={state === null}
      onClick={toggle}
    >
      <LineIcon
        className="graphiql-toolbar-icon"
        path="M11.5 12a.5.5 0 1 1 1 0 .5.5 0 1 1-1 0M8 8a5.7 5.7 0 0 0 0 8M16 8a5.7 5.7 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14"
      />
    </ToolbarButton>
  );
}
