// An icon of the toolbar, drawn as lines.

/** Draws a path on a ground of 24 by 24. */
export function ToolbarIcon({ path, dot = false }: { readonly path: string; readonly dot?: boolean }) {
  return (
    <svg
      className="graphiql-toolbar-icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      {dot ? <circle cx="12" cy="12" r="2" fill="currentColor" /> : null}
      <path d={path} />
    </svg>
  );
}
