// Lists all datasets, and slows down before the server has to refuse, with nothing but fetch.
const ENDPOINT = process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql';
const CREDENTIAL = { authorization: `Basic ${btoa('user:sandbox')}` };

const QUERY = `
  query Datasets($after: String) {
    datasets(first: 25, after: $after) {
      nodes { id name }
      pageInfo { hasNextPage endCursor }
    }
  }`;

interface Result {
  readonly data?: {
    readonly datasets: {
      readonly nodes: readonly { readonly id: string; readonly name: string | null }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  } | null;
  readonly errors?: readonly { readonly message: string }[];
  /** Absent where the server does not know its client. */
  readonly extensions?: { readonly cost?: Cost };
}

interface Cost {
  /** Points of the operation. */
  readonly estimate: number;
  readonly remaining: number;
  /** Points of a full budget, which fills within four seconds. */
  readonly limit: number;
}

const wait = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Waits until the budget holds an operation like the last one. */
async function slowDown({ estimate, remaining, limit }: Cost): Promise<void> {
  const seconds = Math.ceil(((estimate - remaining) / limit) * 4);
  if (seconds <= 0) return;
  console.error(`The budget is low: waiting ${seconds} s.`);
  await wait(seconds);
}

/** Reads a page. Others may have spent the budget: then the server says when to continue. */
async function readPage(after: string | null): Promise<Result> {
  for (;;) {
    const response = await fetch(ENDPOINT, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...CREDENTIAL },
      body: JSON.stringify({ query: QUERY, variables: { after } }),
    });
    if (response.status !== 429) return (await response.json()) as Result;
    await wait(Number(response.headers.get('retry-after') ?? 1));
  }
}

let after: string | null = null;
do {
  const { data, errors = [], extensions }: Result = await readPage(after);
  if (!data) throw new Error(errors.map(({ message }) => message).join('\n'));
  const { nodes, pageInfo } = data.datasets;
  for (const { id, name } of nodes) console.log(`${id}  ${name}`);
  after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  if (after !== null && extensions?.cost) await slowDown(extensions.cost);
} while (after !== null);
