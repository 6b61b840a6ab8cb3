// Renders the pages of the guide with examples from the schema.
import type { GuideExamples } from '../examples/guide-examples.ts';
import { codeBlock } from '../html/code-block.ts';
import { Html, html } from '../html/html.ts';
import type { GuidePage, GuidePart } from '../site-files.ts';
import type { Page } from './layout.ts';

/** Renders a page. */
export const guidePage = ({ file, title, parts }: GuidePage, examples: GuideExamples): Page => ({
  file,
  title,
  content: parts.map((part) => renderPart(part, examples)),
});

function renderPart(part: GuidePart, examples: GuideExamples): Html {
  // The guide is part of this program.
  if ('html' in part) return new Html(part.html);
  const own = examples.get(part.example);
  return own === undefined
    ? html`${codeBlock(part.code, 'graphql')}<p class="note">This API has nothing of the kind; the example is that of the sandbox.</p>`
    : codeBlock(own, 'graphql');
}
