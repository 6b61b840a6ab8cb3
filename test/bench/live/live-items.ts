// The live query of the bench: a list of the API's items.

/** The query for one list. @param interval Seconds; null: it is not live. */
export const itemsQuery = (group: number, interval: number | null): string =>
  `query ${interval === null ? '' : `@live(interval: ${interval})`} {
    items(filter: { group: ${group} }) { nodes { id name note version } }
  }`;

/** The version of the list in its result. */
export const versionIn = (data: unknown): number =>
  (data as { items: { nodes: readonly { version: number }[] } }).items.nodes[0]?.version ?? 0;
