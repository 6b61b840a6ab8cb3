// Renders the page of one resource.
import { type GraphQLEnumType, getNamedType, isCompositeType } from 'graphql';
import { actionOf, parameterOf } from '../../../../src/index.ts';
import {
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
import { enumValues, fieldList } from './schema-parts.ts';

/** Renders the page. @param server Address of the GraphQL server; null for none. */
export function resourcePage(resource: CatalogResource, catalog: Catalog, server: URL | null): Page {
  const { title, file, path, description, type, actions, enums } = resource;
  const places = placesOf(type);
  const edges = places.filter(({ field }) => isEdge(field));
  const values = places.filter(({ field }) => !isEdge(field));
  const all = (shown: readonly CatalogAction[]): Content =>
    shown.map((one) => actionSection(one, catalog, server));
  const queries = actions.filter(({ isMutation }) => !isMutation);
  const mutations = actions.filter(({ isMutation }) => isMutation);
  const sections = [
    { name: 'Fields', items: values, render: () => fieldList(values, catalog) },
    { name: 'Edges', items: edges, render: () => fieldList(edges, catalog) },
    { name: 'Queries', items: queries, render: () => all(queries) },
    { name: 'Mutations', items: mutations, render: () => all(mutations) },
    { name: 'Enums', items: enums, render: () => enums.map(enumSection) },
  ].filter(({ items }) => items.length > 0);
  return {
    file,
    title,
    content: html`${parents(resource, catalog)}
<h1${type === null ? '' : html` id="${type.name}"`}>${title}</h1>
${paragraphs(description)}
<p class="note">The resource <code>${path.join('.')}</code>${type?.getInterfaces().some(({ name }) => name === 'Node') ? ', whose objects can be fetched by their ids' : ''}.</p>
<nav class="sections" aria-label="On this page"><ul>${sections.map(({ name }) => html`<li><a href="#${name.toLowerCase()}">${name}</a></li>`)}</ul></nav>
${sections.map(({ name, render }) => [html`<h2 id="${name.toLowerCase()}">${name}</h2>`, render()])}`,
  };
}

const enumSection = (one: GraphQLEnumType): Html =>
  html`<h3 id="${one.name}"><code>${one.name}</code></h3>${paragraphs(one.description)}${enumValues(one)}`;

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
