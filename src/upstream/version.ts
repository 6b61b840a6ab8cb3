// The version of the package, written by `npm run codegen`.

/** The version in package.json. */
export const VERSION = '0.1.0';
