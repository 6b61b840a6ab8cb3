// Starts a facade over an API that a test describes.
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { action, describeApi, type Raw, type RawAction, type RawParameters } from './describe-api.ts';
import { ask, collectLog, type OperationResult, recordedOperations } from './facade.ts';
import { type Handler, type StubUpstream, startStub } from './stub-upstream.ts';

/** A facade over an API that a test describes itself. */
export interface DescribedApi extends AsyncDisposable {
  readonly upstream: StubUpstream;
  readonly facade: Facade;
  /** The lines of the log. */
  readonly log: readonly string[];
  /** Sends an operation with a token. */
  ask(query: string): Promise<OperationResult>;
}

/** Starts a stub of an API with these resources, and a facade over it. */
export async function openDescribed(
  resources: Raw,
  handlers: Readonly<Record<string, Handler>> = {},
  options: Partial<FacadeOptions> = {},
): Promise<DescribedApi> {
  const upstream = await startStub(describeApi(resources), handlers);
  const log = collectLog();
  const facade = await createFacade({
    upstream: upstream.url,
    log,
    observer: recordedOperations(),
    ...options,
  });
  return {
    upstream,
    facade,
    log: log.lines,
    ask: (query) => ask(facade, query, { headers: { 'x-library-token': 'reader' } }),
    async [Symbol.asyncDispose]() {
      await facade.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Describes the action `index`, whose output has the plural as its namespace. */
export function list(
  name: string,
  plural: string,
  output: RawParameters,
  more: Partial<RawAction> = {},
): Raw {
  return action({
    path: `/${plural}`,
    namespace: name,
    outputNamespace: plural,
    layout: 'object_list',
    output,
    ...more,
  });
}

/** Describes the action `show`. */
export function show(name: string, plural: string, output: RawParameters): Raw {
  return action({ path: `/${plural}/{${name}_id}`, namespace: name, output });
}
