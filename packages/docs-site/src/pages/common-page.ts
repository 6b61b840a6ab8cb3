// Renders the page of what belongs to no single resource: common fields of the roots, subscriptions and types.
import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { anchorOf, type Catalog, COMMON_PAGE, type FieldPlace, placesOf } from '../catalog/catalog.ts';
import { createExample } from '../examples/field-example.ts';
import { type Content, type Html, html } from '../html/html.ts';
import { paragraphs } from '../html/prose.ts';
import { example } from './action-section.ts';
import type { Page } from './layout.ts';
import { enumValues, factList, fieldList, inputs, typeReference } from './schema-parts.ts';

/** Renders the page. @param server Address of the GraphQL server; null for none. */
export function commonPage(catalog: Catalog, server: URL | null): Page {
  const { commonFields, commonTypes } = catalog;
  return {
    file: COMMON_PAGE,
    title: 'Common types',
    content: html`<h1>Common types</h1>
<p>What every schema has, whatever its API, and what several resources share.</p>
<h2 id="fields">Queries and subscriptions</h2>
${commonFields.map((place) => fieldSection(place, catalog, server))}
<h2 id="types">Types</h2>
${commonTypes.map((type) => typeSection(type, catalog))}`,
  };
}

function fieldSection(place: FieldPlace, catalog: Catalog, server: URL | null): Html {
  const { field } = place;
  return html`<section class="action"><h3 id="${anchorOf(place)}"><code>${anchorOf(place)}</code></h3>
${paragraphs(field.description)}
${factList([['Gives', html`<code>${typeReference(field.type, catalog.addresses)}</code>`]])}
${field.args.length === 0 ? '' : [html`<h4>Arguments</h4>`, inputs(field.args, catalog.addresses)]}
${example(createExample(catalog, place), server)}</section>`;
}

function typeSection(type: GraphQLNamedType, catalog: Catalog): Html {
  return html`<h3 id="${type.name}"><code>${type.name}</code> <span class="badge">${kindOf(type)}</span></h3>
${paragraphs(type.description)}
${partsOf(type, catalog)}`;
}

function partsOf(type: GraphQLNamedType, catalog: Catalog): Content {
  if (isEnumType(type)) return enumValues(type);
  if (isInputObjectType(type)) return inputs(Object.values(type.getFields()), catalog.addresses);
  if (isScalarType(type))
    return type.specifiedByURL
      ? html`<p class="note">Specified by <code>${type.specifiedByURL}</code></p>`
      : '';
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  return fieldList(placesOf(type), catalog);
}

function kindOf(type: GraphQLNamedType): string {
  if (isScalarType(type)) return 'scalar';
  if (isEnumType(type)) return 'enum';
  if (isInputObjectType(type)) return 'input';
  return isInterfaceType(type) ? 'interface' : 'type';
}
