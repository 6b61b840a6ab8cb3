// Changes the text of an editor.
import { type MonacoEditor, Range } from '@graphiql/react';

/** A change of a text. */
export interface TextEdit {
  /** Offsets into the text. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Changes the text so that the user can undo it. */
export function applyEdit(editor: MonacoEditor, { start, end, text }: TextEdit): void {
  const model = editor.getModel();
  if (!model) return;
  const range = Range.fromPositions(model.getPositionAt(start), model.getPositionAt(end));
  editor.pushUndoStop();
  editor.executeEdits('optiongraph', [{ range, text }]);
  editor.pushUndoStop();
}
