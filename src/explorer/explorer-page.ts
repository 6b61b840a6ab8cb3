import { readFileSync } from 'node:fs';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphiQLOptions } from 'graphql-yoga';

/** What the sign-in panel needs to know. */
export interface PanelConfig {
  /** Path of GraphQL. */
  readonly endpoint: string;
  /** Names of the headers that carry credentials. */
  readonly headerNames: readonly string[];
  /** That of session tokens; null where the API issues none. */
  readonly tokenHeader: string | null;
  /** Whether browsers can sign in at a provider. */
  readonly oauth: boolean;
  /** Headers that the header editor comes filled with. */
  readonly prefilled: Readonly<Record<string, string>>;
}

const asset = (name: string): string => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
const scripts = ['tabs.js', 'steps.js', 'kept.js', 'latest-states.js', 'panel.js', 'sign-in.js']
  .map(asset)
  .join('\n');
const style = asset('sign-in.css');

const START = 'YogaGraphiQL.renderYogaGraphiQL(';

/** GraphiQL with a panel to sign in: one page with everything in it. */
export function renderExplorer(options: GraphiQLOptions, config: PanelConfig): string {
  // Within a script element only this character could end it.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const panel = [
    `<style>${style}</style>`,
    `<script type="application/json" id="optiongraph-config">${json}</script>`,
    `<script>${scripts}</script>`,
  ].join('\n');
  // Functions, since the page holds what would be patterns of a replacement. The panel goes first: GraphiQL keeps the fetch that
  // it finds, and begins when it is known who is there.
  return String(renderGraphiQL(options))
    .replace(START, () => 'optiongraph.start(')
    .replace('</head>', () => `${panel}</head>`);
}
