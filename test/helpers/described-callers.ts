// Starts a facade over an API that describes itself differently to each caller.
import type { GraphQLSchema } from 'graphql';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { createFacade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { createCredential } from '../../src/upstream/http/caller.ts';
import { describeApi, type Raw } from './describe-api.ts';
import { ask, collectLog, type OperationResult } from './facade.ts';
import { type Handler, ok, refuse, type StubUpstream, startStub } from './stub-upstream.ts';

/** The resources that an API describes to each caller, by token. Those of `anonymous` go to all others. */
export interface Described {
  readonly anonymous: Raw;
  readonly [token: string]: Raw;
}

/** A facade over an API with several callers. */
export interface DescribedCallers extends AsyncDisposable {
  readonly upstream: StubUpstream;
  ask(token: string, query: string): Promise<OperationResult>;
  /** The schema that introspection gives a caller. */
  schemaOf(token: string): Promise<GraphQLSchema>;
  /** Describes other resources from now on, and fetches the operator's description again. */
  describe(described: Described): Promise<void>;
}

/**
 * Starts a stub of an API, and a facade over it.
 * @param all The resources of the API.
 * @param operator The token of the operator's credential. Null: none.
 */
export async function openDescribedCallers(
  all: Raw,
  initial: Described,
  operator: string | null,
  handlers: Readonly<Record<string, Handler>> = {},
  options: Partial<FacadeOptions> = {},
): Promise<DescribedCallers> {
  const upstream = await startStub(describeApi(all), handlers);
  let described = initial;
  upstream.onOptions = ({ 'x-library-token': token }, { search }) => {
    const own = token === undefined ? described.anonymous : described[String(token)];
    if (search.startsWith('?method=')) return own === undefined ? refuse('who?', null, 401) : ok({});
    return ok(describeApi(own ?? described.anonymous));
  };
  const facade = await createFacade({
    upstream: upstream.url,
    log: collectLog(),
    descriptionCredential: operator === null ? null : createCredential('token', 'x-library-token', operator),
    ...options,
  });
  const askAs = (token: string, query: string) =>
    ask(facade, query, { headers: token === 'anonymous' ? {} : { 'x-library-token': token } });
  return {
    upstream,
    ask: askAs,
    schemaOf: async (token) => {
      const { data } = await askAs(token, getIntrospectionQuery({ inputValueDeprecation: true }));
      return buildClientSchema(data as unknown as IntrospectionQuery);
    },
    describe: async (next) => {
      described = next;
      await facade.refresh();
    },
    async [Symbol.asyncDispose]() {
      await facade.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}
