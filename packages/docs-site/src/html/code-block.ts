// Shows blocks of code, with the strings, variables, keywords and comments of GraphQL and JSON marked.
import { type Content, type Html, html } from './html.ts';

const TOKEN =
  /(#.*|"(?:\\.|[^"\\\n])*"|\$\w+|\b(?:query|mutation|subscription|fragment|on|null|true|false)\b)/;

/** Shows a block of code. It can be scrolled with the keyboard. */
export const codeBlock = (code: string, language: string): Html =>
  html`<pre tabindex="0"><code>${/^(graphql|json)$/.test(language) ? markTokens(code.trimEnd()) : code.trimEnd()}</code></pre>`;

function markTokens(code: string): Content {
  // The parts at odd places are tokens.
  return code
    .split(TOKEN)
    .map((part, index) => (index % 2 === 0 ? part : html`<span class="${classOf(part)}">${part}</span>`));
}

function classOf(token: string): string {
  if (token.startsWith('#')) return 'comment';
  if (token.startsWith('"')) return 'string';
  return token.startsWith('$') ? 'variable' : 'keyword';
}
