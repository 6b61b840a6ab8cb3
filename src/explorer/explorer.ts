import type { GraphiQLOptions, GraphiQLRenderer } from 'graphql-yoga';
import type { AuthenticationMethods } from '../upstream/description/description.ts';
import { type PanelConfig, renderExplorer } from './explorer-page.ts';

/** The parts of yoga's options that make the explorer. */
export interface Explorer {
  readonly graphiql: (request: Request) => GraphiQLOptions | false;
  readonly renderGraphiQL: GraphiQLRenderer;
}

/** GraphiQL for developers, whose page needs no upstream. */
export function createExplorer(
  authentication: () => AuthenticationMethods,
  panel: Pick<PanelConfig, 'endpoint' | 'oauth' | 'prefilled'>,
): Explorer {
  return {
    // Yoga asks of every address that ends like its endpoint, `/auth/login?returnTo=/graphql` too.
    graphiql: ({ url }) => new URL(url).pathname === panel.endpoint && { title: 'Optiongraph' },
    renderGraphiQL: (page) => renderExplorer(page ?? {}, { ...panel, ...headersOf(authentication()) }),
  };
}

/** The headers that carry credentials. */
function headersOf({
  token,
  oauth2,
}: AuthenticationMethods): Pick<PanelConfig, 'headerNames' | 'tokenHeader'> {
  const names = [token?.httpHeader, 'Authorization', oauth2?.httpHeader];
  return {
    headerNames: names.filter((name) => typeof name === 'string'),
    tokenHeader: token?.httpHeader ?? null,
  };
}
