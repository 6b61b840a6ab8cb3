// The operations that all servers answer.
/** A name of an operation. */
export type QueryName = 'Q1' | 'Q2' | 'Q3' | 'Q4';

/** The operations by name. Those with `$id` get another dataset in each request. */
export const QUERIES: Readonly<Record<QueryName, { readonly what: string; readonly text: string }>> = {
  Q1: {
    what: 'one object by id',
    text: `query Q1($id: ID!) {
      dataset(id: $id) { id name used quota compression createdAt user { label } }
    }`,
  },
  Q2: {
    what: "100 rows with an association's label",
    text: 'query Q2 { datasets(first: 100) { nodes { id name used user { label } } } }',
  },
  Q3: {
    what: "50 rows with an association's other fields, a label and a nested list of 10",
    text: `query Q3 {
      datasets(first: 50) {
        nodes {
          id name
          user { label fullName level }
          environment { label }
          snapshots(first: 10) { nodes { id name createdAt } }
        }
      }
    }`,
  },
  Q4: {
    what: 'a chain of 3 parents',
    text: `query Q4($id: ID!) {
      dataset(id: $id) {
        id name used
        parent { id name used parent { id name used parent { id name used } } }
      }
    }`,
  },
};

export const QUERY_NAMES = Object.keys(QUERIES) as readonly QueryName[];

/** The first dataset with three parents, and the number of those that follow. */
const FIRST_ID = 4;
const IDS = 197;

/** The body of the nth request for an operation. */
export function bodyOf(name: QueryName, index: number): string {
  const { text } = QUERIES[name];
  const variables = { id: String(FIRST_ID + (index % IDS)) };
  return JSON.stringify({ operationName: name, query: text, ...(text.includes('$id') && { variables }) });
}
