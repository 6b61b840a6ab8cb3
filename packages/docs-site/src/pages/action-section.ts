// Renders the section of one action: what it does, its arguments, an example and its errors.
import { getNamedType, isObjectType } from 'graphql';
import { type ExampleTab, resourceOf, rowTypeOf } from '../../../../src/index.ts';
import { anchorOf, type Catalog, type CatalogAction, type FieldPlace, placesOf } from '../catalog/catalog.ts';
import { possibleCodes } from '../catalog/possible-codes.ts';
import { createExample } from '../examples/field-example.ts';
import { codeBlock } from '../html/code-block.ts';
import { type Content, commaList, type Html, html } from '../html/html.ts';
import { inline, paragraphs } from '../html/prose.ts';
import { factList, fieldList, inputs, typeReference } from './schema-parts.ts';

/** Renders the section. @param server Address of the GraphQL server; null for none. */
export function actionSection(one: CatalogAction, catalog: Catalog, server: URL | null): Html {
  const { action, main } = one;
  const { field } = main;
  return html`<section class="action">
<h3 id="${anchorOf(main)}"><code>${anchorOf(main)}</code>${action.deprecated === null ? '' : html` <span class="badge warn">deprecated</span>`}</h3>
${paragraphs(action.description)}
${action.deprecated === null ? '' : html`<p class="note">Deprecated: ${inline(action.deprecated)}</p>`}
${facts(one, catalog)}
${field.args.length === 0 ? '' : [html`<h4>Arguments</h4>`, inputs(field.args, catalog.addresses)]}
${ownOutput(main, catalog)}
${example(createExample(catalog, main), server)}
${errors(one)}
</section>`;
}

function facts({ action, main, others }: CatalogAction, { addresses }: Catalog): Html {
  const elsewhere = others.filter(({ field }) => !field.deprecationReason);
  return factList([
    ['Gives', html`<code>${typeReference(main.field.type, addresses)}</code>`],
    ['API call', html`<code>${action.method} ${action.path.text}</code>`],
    [
      'Sign-in',
      action.auth ? html`needed, with the scope <code>${action.scope}</code> or a wider one` : 'not needed',
    ],
    [
      'Runs',
      action.blocking ? html`in the background; see <a href="guide-actions.html">running actions</a>` : null,
    ],
    [
      'Also',
      elsewhere.length === 0 ? null : commaList(elsewhere.map((place) => placeLink(place, addresses))),
    ],
  ]);
}

/** Links to a field of an object. */
function placeLink(place: FieldPlace, addresses: ReadonlyMap<string, string>): Html {
  const [page = ''] = (addresses.get(place.type.name) ?? '').split('#');
  return html`<a href="${page}#${anchorOf(place)}"><code>${anchorOf(place)}</code></a>`;
}

/** The fields of an output that only this action has. */
function ownOutput({ field }: FieldPlace, catalog: Catalog): Content {
  const type = rowTypeOf(field) ?? getNamedType(field.type);
  if (!isObjectType(type) || resourceOf(type) !== null) return '';
  return [html`<h4>Fields of <code>${type.name}</code></h4>`, fieldList(placesOf(type), catalog)];
}

/** Renders an example with its variables below a heading. */
export function example(
  tab: ExampleTab | null,
  server: URL | null,
  heading: Html = html`<h4>Example</h4>`,
): Content {
  if (tab === null) return '';
  const { query, variables } = tab;
  return html`${heading}
<div class="example">${codeBlock(query, 'graphql')}${variables === null ? '' : [html`<p class="note">Variables</p>`, codeBlock(variables, 'json')]}${
    server === null ? '' : html`<p><a href="${explorerAddress(server, tab)}">Open in the explorer</a></p>`
  }</div>`;
}

function explorerAddress(server: URL, { query, variables }: ExampleTab): string {
  const address = new URL(server);
  address.searchParams.set('query', query);
  if (variables !== null) address.searchParams.set('variables', variables);
  return address.href;
}

function errors(one: CatalogAction): Html {
  const { errors, userErrors, warnings } = possibleCodes(one);
  return html`<h4>Errors</h4>
${factList([
  ['Errors', codeLinks(errors, 'guide-contract.html')],
  ['User errors', codeLinks(userErrors, 'guide-errors.html')],
  ['Warnings', codeLinks(warnings, 'guide-contract.html')],
])}
<p class="note">Beside those of <a href="guide-errors.html">every request</a>.</p>`;
}

/** Links to the meanings of codes in a page of the guide. */
const codeLinks = (codes: readonly string[], page: string): Content =>
  codes.length === 0
    ? null
    : commaList(codes.map((code) => html`<a href="${page}#${code}"><code>${code}</code></a>`));
