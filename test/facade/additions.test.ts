// Tests what users of the library add: types and fields, plugins and context.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createLog, createOptiongraph, type Optiongraph } from '../../src/index.ts';

const USER = { authorization: `Basic ${btoa('user:sandbox')}` };

let sandbox: Sandbox;
let optiongraph: Optiongraph;
const executed: (string | null | undefined)[] = [];
const logged: string[] = [];
beforeAll(async () => {
  sandbox = await listenSandbox();
  optiongraph = await createOptiongraph({
    upstream: sandbox.url,
    log: createLog((line) => logged.push(line)),
    context: ({ header }) => ({ greeting: `bye ${header('x-name')}`, operation: 'ignored' }),
    extendSchema: {
      typeDefs: `
        extend type Query { usage: Usage, motd: String! }
        extend type Dataset { shout: String, id: ID! }
        extend type Nothing { field: String }
        extend type Mutation { datasetTouch(id: Int!): String }
        type Usage { datasets: Int!, first: Dataset, other: Nothing }
      `,
      resolvers: {
        Query: {
          motd: (_root, _args, { greeting }) => greeting.replace('bye', 'hello'),
          usage: async (_root, _args, { api }) => {
            const rows = await api.readList('dataset#index', { input: { limit: 3 } });
            return { datasets: rows.length };
          },
        },
        Dataset: { shout: ({ globalId }) => globalId.toUpperCase() },
        Mutation: {
          datasetTouch: async (_root, { id }: { id: number }, { api }) =>
            JSON.stringify(await api.write('dataset#no_such_action', { path: [id] })),
        },
      },
    },
    plugins: [{ onExecute: ({ args }) => void executed.push(args.operationName) }],
  });
});
afterAll(async () => {
  await optiongraph.dispose();
  await sandbox[Symbol.asyncDispose]();
});

async function ask(query: string, headers: Record<string, string> = USER) {
  const body = JSON.stringify({ query, operationName: 'Asked' });
  const request = new Request('http://any.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return (await optiongraph.fetch(request)).json();
}

describe('added types and fields', () => {
  it.each([
    [{ Qery: { motd: () => '' } }, 'resolvers for Qery, which typeDefs neither adds nor extends'],
    [{ Query: { modt: () => '' } }, 'a resolver for Query.modt, which typeDefs does not add'],
    [{ Colour: { GREEN: 'g' } }, 'a resolver for Colour.GREEN, which typeDefs does not add'],
  ])('have a resolver for each of %o, or are refused', async (resolvers, message) => {
    const typeDefs = 'extend type Query { motd: String, colour: Colour } enum Colour { RED }';
    await expect(
      createOptiongraph({ upstream: sandbox.url, extendSchema: { typeDefs, resolvers } }),
    ).rejects.toThrow(`extendSchema has ${message}.`);
  });

  it('are resolved with the client of the caller, whose calls count', async () => {
    expect(await ask('query Asked { usage { datasets } }')).toMatchObject({
      data: { usage: { datasets: 3 } },
      extensions: { upstream: { calls: 1 } },
    });
  });

  it('extend assembled types, also in the rows of lists', async () => {
    const { data } = await ask('query Asked { datasets(first: 1) { nodes { id shout } } }');
    const [node] = data.datasets.nodes;
    expect(node.shout).toBe(node.id.toUpperCase());
  });

  it('get the errors of the API with their codes', async () => {
    const { errors } = await ask('mutation Asked { datasetTouch(id: 1) }');
    expect(errors).toMatchObject([{ path: ['datasetTouch'], extensions: { code: 'FORBIDDEN' } }]);
  });

  it('are left out of schemas that lack their types, with a finding', async () => {
    const { findings } = optiongraph.facade.schema;
    const left = findings.filter(({ code }) => code === 'ADDITION_LEFT_OUT').map(({ path }) => path);
    expect(left.sort()).toEqual(['Dataset.id', 'Nothing', 'Usage.other']);
    expect(findings).toContainEqual({
      code: 'ADDITION_LEFT_OUT',
      path: 'Usage.other',
      reason: 'Unknown type "Nothing". Did you mean "String"?',
    });
    for (const path of left) expect(logged.join('\n')).toContain(`(${path})`);
    expect(await ask('query Asked { motd }', { 'x-name': 'nobody' })).toMatchObject({
      data: { motd: 'hello nobody' },
    });
  });
});
