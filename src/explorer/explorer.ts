// Makes the options of yoga that serve the explorer.
import type { GraphiQLOptions, GraphiQLRenderer } from 'graphql-yoga';
import type { AuthenticationMethods } from '../upstream/description/description.ts';
import { type PanelConfig, renderExplorer } from './explorer-page.ts';

/** The options of yoga for GraphiQL. */
export interface Explorer {
  readonly graphiql: (request: Request) => GraphiQLOptions | false;
  readonly renderGraphiQL: GraphiQLRenderer;
}

/** Makes the options. The page itself needs no upstream. */
export function createExplorer(
  authentication: () => AuthenticationMethods,
  panel: Pick<PanelConfig, 'endpoint' | 'oauth' | 'prefilled'>,
): Explorer {
  return {
    // Yoga calls this for each URL that ends like its endpoint, also for `/auth/login?returnTo=/graphql`.
    graphiql: ({ url }) => new URL(url).pathname === panel.endpoint && { title: 'Optiongraph' },
    renderGraphiQL: (page) => renderExplorer(page ?? {}, { ...panel, ...headerNames(authentication()) }),
  };
}

/** The names of the headers that carry credentials. */
function headerNames({
  token,
  oauth2,
}: AuthenticationMethods): Pick<PanelConfig, 'headerNames' | 'tokenHeader'> {
  const names = [token?.httpHeader, 'Authorization', oauth2?.httpHeader];
  return {
    headerNames: names.filter((name) => typeof name === 'string'),
    tokenHeader: token?.httpHeader ?? null,
  };
}
