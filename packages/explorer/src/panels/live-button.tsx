// The switch that makes a query live: it shows and changes the directive in the text, which stays what is executed, stored and copied.
import {
  pick,
  Range,
  ToolbarButton,
  useGraphiQL,
  useGraphiQLActions,
  useOperationsEditorState,
} from '@graphiql/react';
import { useEffect } from 'react';
import { readLiveSwitch } from '../operations/live-directive.ts';
import { LineIcon } from './line-icon.tsx';

/** A button of the toolbar. Turning it on executes the query, turning it off stops it. */
export function LiveButton() {
  const { queryEditor, operationName } = useGraphiQL(pick('queryEditor', 'operationName'));
  const { run, stop } = useGraphiQLActions();
  const [text] = useOperationsEditorState();
  const state = readLiveSwitch(text, operationName ?? null);
  // Another user gets another GraphiQL, which could not stop what this one has begun.
  useEffect(() => stop, [stop]);

  function toggle(): void {
    const model = queryEditor?.getModel();
    if (state === null || queryEditor === undefined || !model) return;
    const { isLive, edit } = state;
    const range = Range.fromPositions(model.getPositionAt(edit.start), model.getPositionAt(edit.end));
    queryEditor.pushUndoStop();
    queryEditor.executeEdits('live', [{ range, text: edit.text }]);
    queryEditor.pushUndoStop();
    stop();
    if (!isLive) void run();
  }

  const isLive = state?.isLive ?? false;
  return (
    <ToolbarButton
      label="Live query (@live)"
      aria-pressed={isLive}
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
