// Defines what the search of the site finds, for the site's script and for those who write the entries.

/** What is found, its kind, its address and a text about it, in this order: names of keys would be half of the file. */
export type SearchEntry = readonly [title: string, kind: EntryKind, address: string, text: string];

/** What can be found. */
export type EntryKind = 'resource' | 'query' | 'mutation' | 'guide' | 'type' | 'enum' | 'field';
