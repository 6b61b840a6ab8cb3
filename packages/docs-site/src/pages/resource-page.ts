// Renders the page of one resource.
import { getNamedType, isCompositeType } from 'graphql';
import { actionOf, parameterOf, rowTypeOf } from '../../../../src/schema/origin.ts';
import {
  anchorOf,
  type Catalog,
  type CatalogAction,
  type CatalogResource,
  type FieldPlace,
  placesOf,
} from '../catalog/catalog.ts';
import { type Content, type Html, html } from '../html/html.ts';
import { paragraphs } from '../html/prose.ts';
import { actionSection } from './action-section.ts';
import type { Page } from './layout.ts';
import { argumentNames, entry, enumValues, typeReference, valueFields } from './schema-parts.ts';

/** Renders the page. @param server Address of the GraphQL server; null for none. */
export function resourcePage(resource: CatalogResource, catalog: Catalog, server: URL | null): Page {
  const { title, file, path, description, type, actions, enums } = resource;
  const places = placesOf(type);
  const edges = places.filter(({ field }) => isEdge(field));
  const values = places.filter(({ field }) => !isEdge(field));
  const queries = actions.filter(({ isMutation }) => !isMutation);
  const mutations = actions.filter(({ isMutation }) => isMutation);
  const sections: readonly (readonly [string, string, Content])[] = [
    ...section('fields', 'Fields', values.length, () => valueFields(values, catalog.addresses)),
    ...section('edges', 'Edges', edges.length, () => edgeFields(edges, catalog)),
    ...section('queries', 'Queries', queries.length, () => all(queries, catalog, server)),
    ...section('mutations', 'Mutations', mutations.length, () => all(mutations, catalog, server)),
    ...section('enums', 'Enums', enums.length, () =>
      enums.map(
        (one) =>
          html`<h3 id="${one.name}"><code>${one.name}</code></h3>${paragraphs(one.description)}${enumValues(one)}`,
      ),
    ),
  ];
  return {
    file,
    title,
    content: html`${parents(resource, catalog)}
<h1${type === null ? '' : html` id="${type.name}"`}>${title}</h1>
${paragraphs(description)}
<p class="note">The resource <code>${path.join('.')}</code>${type?.getInterfaces().some(({ name }) => name === 'Node') ? ', whose objects can be fetched by their ids' : ''}.</p>
<nav class="sections" aria-label="On this page"><ul>${sections.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
${sections.map(([id, name, content]) => [html`<h2 id="${id}">${name}</h2>`, content])}`,
  };
}

/** A section with its id and name, or nothing where it would be empty. */
const section = (id: string, name: string, count: number, render: () => Content) =>
  count === 0 ? [] : [[id, name, render()] as const];

const all = (actions: readonly CatalogAction[], catalog: Catalog, server: URL | null): Content =>
  actions.map((one) => actionSection(one, catalog, server));

/** Whether a field leads to other objects. */
function isEdge(field: FieldPlace['field']): boolean {
  return (
    actionOf(field) !== null ||
    (parameterOf(field)?.type !== 'Custom' && isCompositeType(getNamedType(field.type)))
  );
}

function parents({ path }: CatalogResource, { resources }: Catalog): Content {
  const above = resources.filter(
    (one) => one.path.length < path.length && one.path.every((name, depth) => name === path[depth]),
  );
  return above.length === 0
    ? ''
    : html`<nav aria-label="Parents" class="parents">${above.map(({ file, title }) => html`<a href="${file}">${title}</a> / `)}</nav>`;
}

function edgeFields(places: readonly FieldPlace[], catalog: Catalog): Html {
  return html`<dl class="fields">${places.map((place) => edgeField(place, catalog))}</dl>`;
}

function edgeField(place: FieldPlace, { addresses, sections }: Catalog): Html {
  const { field } = place;
  const action = actionOf(field);
  const section = action === null ? undefined : sections.get(action);
  const anchor = anchorOf(place);
  return entry(
    {
      name: field.name,
      // The section of its action may be on this page, under the name of this field.
      id: section?.endsWith(`#${anchor}`) === true ? null : anchor,
      type: typeReference(field.type, addresses),
      badge: rowTypeOf(field) === null ? null : 'list',
      deprecated: field.deprecationReason,
    },
    [
      paragraphs((action ?? field).description),
      argumentNames(field),
      action === null || section === undefined
        ? null
        : html`<p class="note">Calls <a href="${section}"><code>${action.scope}</code></a>.</p>`,
    ],
  );
}
