// Where the build writes what all documentation sites share.

/** The same path from `src/cli` and from the bundle in `dist/cli`. */
export const SITE_FOLDER = new URL('../../dist/site/files/', import.meta.url);
