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
const [script, style] = [asset('sign-in.js'), asset('sign-in.css')];

/** GraphiQL with a panel to sign in: one page with everything in it. */
export function renderExplorer(options: GraphiQLOptions, config: PanelConfig): string {
  // Within a script element only this character could end it.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  const panel = [
    `<style>${style}</style>`,
    `<script type="application/json" id="optiongraph-config">${json}</script>`,
    `<script>${script}</script>`,
  ].join('\n');
  // A function, since the page holds what would be patterns of a replacement. It goes first: GraphiQL keeps the fetch that it finds.
  return String(renderGraphiQL(options)).replace('</head>', () => `${panel}</head>`);
}
