// Renders the first page: what the API offers, an example, and all resources.
import { createExampleTabs } from '../../../../src/index.ts';
import type { Catalog, CatalogResource } from '../catalog/catalog.ts';
import { type Html, html } from '../html/html.ts';
import { countOf, summarize } from '../html/prose.ts';
import { example } from './action-section.ts';
import type { Page, SiteFrame } from './layout.ts';

/** Renders the page. */
export function homePage({ title, caller, server, guide }: SiteFrame, catalog: Catalog): Page {
  const { resources, schema } = catalog;
  const [first = null] = createExampleTabs(schema);
  const actions = resources.flatMap((one) => one.actions);
  const mutations = actions.filter(({ isMutation }) => isMutation).length;
  return {
    file: 'index.html',
    title,
    content: html`<h1>${title}</h1>
<p>The GraphQL schema that Optiongraph makes of this API, as ${caller} sees it: ${countOf(resources.length, 'resource')} with ${countOf(actions.length - mutations, 'read')} and ${countOf(mutations, 'write')}.</p>
${first === null ? '' : example(first, server, html`<h2 id="example">A first query</h2>`)}
<h2 id="guide">Guide</h2>
<ul class="cards">${guide.map((page) => html`<li><a href="${page.file}">${page.title}</a></li>`)}</ul>
<h2 id="resources">Resources</h2>
<dl class="fields">${resources.map(renderResource)}</dl>`,
  };
}

function renderResource({ file, title, path, description, actions }: CatalogResource): Html {
  const names = actions.map(({ action }) => action.name).join(', ');
  return html`<div class="entry depth-${Math.min(path.length, 4)}"><dt><a href="${file}">${title}</a></dt>
<dd>${summarize(description)}${names === '' ? '' : html`<p class="note">${names}</p>`}</dd></div>`;
}
