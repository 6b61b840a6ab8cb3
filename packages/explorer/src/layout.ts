// Knows how the page is laid out.

const wide = matchMedia('(min-width: 721px)');

/** Whether a pane leaves room for the editor beside it; see the styles. */
export const isWide = (): boolean => wide.matches;

/** Calls the listener when a pane begins to cover the editor. @returns A function that removes the listener. */
export function onNarrow(listener: () => void): () => void {
  const changed = ({ matches }: MediaQueryListEvent): void => {
    if (!matches) listener();
  };
  wide.addEventListener('change', changed);
  return () => wide.removeEventListener('change', changed);
}
