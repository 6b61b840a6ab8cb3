// What the panels share.
import { createContext, useContext } from 'react';
import type { OperationMonitor } from './operations/last-operation.ts';
import type { SavedOperations } from './saved/saved-operations.ts';
import type { PageSession } from './session/session.ts';

/** Where a pane leaves room for the editor beside it; see the styles. */
export const WIDE = '(min-width: 721px)';

/** The state of the page, for its panels. */
export interface ExplorerState {
  readonly session: PageSession;
  readonly monitor: OperationMonitor;
  readonly saved: SavedOperations;
  /** Whether the dialog to sign in or out is open. */
  readonly isAccountOpen: boolean;
  readonly openAccount: (isOpen: boolean) => void;
}

/** Provides the state to the panels. */
export const ExplorerContext = createContext<ExplorerState | null>(null);

/** Reads the state of the page. */
export function useExplorer(): ExplorerState {
  const state = useContext(ExplorerContext);
  if (state === null) throw new Error('This panel must be inside of the explorer.');
  return state;
}
