// Reads the files that `build.ts` makes: the guide, the script and the styles of the site.
import { readFileSync } from 'node:fs';

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

/** Reads a built file. @param folder Where the build has written it. */
export const readBuilt = (folder: URL, name: string): Buffer => readFileSync(new URL(name, folder));

/** Reads the guide. */
export const readGuide = (folder: URL): readonly GuidePage[] =>
  JSON.parse(readBuilt(folder, 'guide.json').toString('utf8')) as readonly GuidePage[];
