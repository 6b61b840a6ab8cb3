// Knows how the page is laid out.

/** Whether a pane leaves room for the editor beside it; see the styles. */
export const isWide = (): boolean => matchMedia('(min-width: 721px)').matches;
