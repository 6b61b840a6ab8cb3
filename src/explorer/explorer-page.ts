// Renders the page of the explorer: GraphiQL with a panel to sign in.
import { readFileSync } from 'node:fs';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphiQLOptions } from 'graphql-yoga';

/** Configuration of the sign-in panel, as JSON in the page. */
export interface PanelConfig {
  /** Path of GraphQL. */
  readonly endpoint: string;
  /** Path below which browsers sign in and out; empty: the root. */
  readonly basePath: string;
  /** Names of the headers that carry credentials. */
  readonly headerNames: readonly string[];
  /** Name of the header for session tokens; null when the API issues none. */
  readonly tokenHeader: string | null;
  /** Whether browsers can sign in at an OAuth 2.0 provider. */
  readonly oauth: boolean;
  /** Headers that the header editor holds at first. */
  readonly prefilled: Readonly<Record<string, string>>;
}

const readAsset = (name: string): string => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
const SCRIPTS = ['tabs.js', 'steps.js', 'kept.js', 'latest-states.js', 'panel.js', 'sign-in.js']
  .map(readAsset)
  .join('\n');
const STYLE = readAsset('sign-in.css');

/** The call in yoga's page that starts GraphiQL. */
const START = 'YogaGraphiQL.renderYogaGraphiQL(';

/** Renders GraphiQL with the panel, as one page without external resources. */
export function renderExplorer(options: GraphiQLOptions, config: PanelConfig): string {
  // No other character can end the script element.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const panel = [
    `<style>${STYLE}</style>`,
    `<script type="application/json" id="optiongraph-config">${json}</script>`,
    `<script>${SCRIPTS}</script>`,
  ].join('\n');
  // The replacements are functions, because strings could contain replacement patterns such as `$&`. The panel comes first, because
  // GraphiQL keeps the `fetch` that it finds, and the panel starts GraphiQL once it knows the session.
  return String(renderGraphiQL(options))
    .replace(START, () => 'optiongraph.start(')
    .replace('</head>', () => `${panel}</head>`);
}
