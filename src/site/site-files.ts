// Reads the files that `build-site.ts` makes: the guide, the script and the styles of the site.
import { readFileSync } from 'node:fs';

/** The same path from `src/site`, `dist/site` and the bundle in `dist/cli`. */
const FOLDER = new URL('../../dist/site/files/', import.meta.url);

/** Files that are copied as they are. */
export const COPIED = ['site.js', 'site.css', 'description-to-schema.svg'] as const;

/** A part of a page of the guide. */
export type GuidePart =
  | { readonly html: string }
  /** An example that is made from the schema. The code stands for it where the schema has none of its kind. */
  | { readonly example: string; readonly code: string };

/** A page of the guide. */
export interface GuidePage {
  readonly file: string;
  readonly title: string;
  readonly parts: readonly GuidePart[];
  /** Headings and codes with their ids, for the search. */
  readonly anchors: readonly { readonly id: string; readonly title: string }[];
}

/** Reads a built file. */
export const readBuilt = (name: string): Buffer => readFileSync(new URL(name, FOLDER));

/** Reads the guide. */
export const readGuide = (): readonly GuidePage[] =>
  JSON.parse(readBuilt('guide.json').toString('utf8')) as readonly GuidePage[];
