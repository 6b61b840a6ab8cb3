// Lists operations, each with the REST calls that fetch the same data.
/** An operation, and the same data fetched from the management API by hand. */
export interface Comparison {
  readonly name: string;
  readonly query: string;
  readonly rest: (get: Get) => Promise<unknown>;
}

/** GETs a path of the management API; the envelope's response. */
export type Get = (path: string) => Promise<Readonly<Record<string, unknown>>>;

const byHand = (path: string): string => `/v7.0${path}`;

export const comparisons: readonly Comparison[] = [
  {
    name: 'nested list',
    query: `{ datasets(first: 25) { nodes {
      id name user { id label } environment { id label } parent { id label }
    } } }`,
    rest: (get) => get(byHand('/datasets?dataset[limit]=25')),
  },
  {
    name: 'show with includes',
    query: `{ dataset(id: 105) {
      name user { login } environment { description } parent { user { login } }
    } }`,
    rest: (get) => get(byHand('/datasets/105?_meta[includes]=user,environment,parent__user')),
  },
  {
    name: '25 × snapshots',
    query: '{ datasets(first: 25) { nodes { name snapshots(first: 5) { nodes { name createdAt } } } } }',
    rest: async (get) => {
      const { datasets } = await get(byHand('/datasets?dataset[limit]=25'));
      const rows = datasets as readonly { readonly id: number }[];
      return Promise.all(rows.map(({ id }) => get(byHand(`/datasets/${id}/snapshots?snapshot[limit]=5`))));
    },
  },
];
