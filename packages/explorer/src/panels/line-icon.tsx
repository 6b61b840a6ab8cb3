// An icon that is drawn as lines.

/**
 * Draws lines.
 * @param path On a ground of 24 by 24.
 * @param className GraphiQL sizes the icons of its toolbar by a class, and those of plugins by their place.
 */
export const LineIcon = ({ path, className }: { readonly path: string; readonly className?: string }) => (
  <svg
    className={className}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
);
