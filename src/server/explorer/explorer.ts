import type { GraphiQLOptions, GraphiQLRenderer } from 'graphql-yoga';
import { exampleTabs } from '../../schema/example-tabs.ts';
import { readCredential } from '../../upstream/authentication.ts';
import type { AuthenticationMethods } from '../../upstream/description.ts';
import type { Callers } from '../callers.ts';
import { type PanelConfig, renderExplorer } from './page.ts';

/** The parts of yoga's options that make the explorer. */
export interface Explorer {
  readonly graphiql: () => Promise<GraphiQLOptions>;
  readonly renderGraphiQL: GraphiQLRenderer;
}

/** Answers one query for the caller that some headers tell of. */
export type Ask = (query: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;

/** GraphiQL for developers: its tabs begin with what works with the headers that they come filled with. */
export function createExplorer(
  callers: Callers,
  ask: Ask,
  panel: Pick<PanelConfig, 'endpoint' | 'oauth' | 'prefilled'>,
): Explorer {
  const { prefilled } = panel;
  const firstId = async (list: string): Promise<string | null> => {
    const data = await ask(`{ rows: ${list}(first: 1) { nodes { id } } }`, prefilled);
    return (data as { rows?: { nodes?: { id: string }[] } } | null)?.rows?.nodes?.[0]?.id ?? null;
  };
  return {
    async graphiql() {
      const given = new Headers(prefilled);
      const credential = readCredential((name) => given.get(name), callers.base.description.authentication);
      // The page itself needs no upstream.
      const served = await callers.schemaOf(credential).catch(() => null);
      const isFilled = Object.keys(prefilled).length > 0;
      const headers = isFilled ? JSON.stringify(prefilled, null, 2) : null;
      const tabs = served === null ? [] : await exampleTabs(served.schema, firstId);
      return {
        title: 'Optiongraph',
        defaultTabs: tabs.map((tab) => ({ ...tab, headers })),
        ...(headers === null ? {} : { headers, defaultEditorToolsVisibility: 'headers' }),
      };
    },
    renderGraphiQL: (page) =>
      renderExplorer(page ?? {}, { ...panel, ...headersOf(callers.base.description.authentication) }),
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
