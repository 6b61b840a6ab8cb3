// An icon that is drawn as lines.

interface Lines {
  /** On a ground of 24 by 24. */
  readonly path: string;
  readonly dot?: boolean;
  readonly width?: number;
  /** GraphiQL sizes the icons of its toolbar by a class, and those of plugins by their place. */
  readonly className?: string;
}

/** Draws lines, and a dot in the middle if there is one. */
export function LineIcon({ path, dot = false, width = 2, className }: Lines) {
  return (
    <svg
      className={className}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={width}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {dot ? <circle cx="12" cy="12" r="2" fill="currentColor" /> : null}
      <path d={path} />
    </svg>
  );
}
