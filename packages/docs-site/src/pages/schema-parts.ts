// Renders parts of a schema: references to types, and lists of fields, arguments and values.
import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { actionOf, parameterOf, rowTypeOf } from '../../../../src/index.ts';
import { anchorOf, type Catalog, type Field, type FieldPlace } from '../catalog/catalog.ts';
import type { Parameter } from '../catalog/description.ts';
import { type Content, commaList, type Html, html } from '../html/html.ts';
import { inline, paragraphs } from '../html/prose.ts';

/** Addresses of the explanations of types, by name. */
export type Addresses = ReadonlyMap<string, string>;

/** Renders a type with a link to its explanation. */
export function typeReference(type: GraphQLType, addresses: Addresses): Html {
  if (isNonNullType(type)) return html`${typeReference(type.ofType, addresses)}!`;
  if (isListType(type)) return html`[${typeReference(type.ofType, addresses)}]`;
  const address = addresses.get(type.name);
  return address === undefined ? html`${type.name}` : html`<a href="${address}">${type.name}</a>`;
}

/** What stands at the head of an entry. */
interface EntryHead {
  readonly name: Content;
  /** Null where nothing links to the entry. */
  readonly id: string | null;
  readonly type: Content;
  readonly badge: string | null;
  readonly deprecated: string | null | undefined;
}

/** Renders one entry of a list of fields. */
function entry({ name, id, type, badge, deprecated }: EntryHead, details: Content): Html {
  return html`<div class="entry"${id === null ? '' : html` id="${id}"`}>
<dt><code class="name">${name}</code> <code class="type">${type}</code>${badge === null ? '' : html` <span class="badge">${badge}</span>`}${deprecated ? html` <span class="badge warn">deprecated</span>` : ''}</dt>
<dd>${details}${deprecated ? html`<p class="note">Deprecated: ${inline(deprecated)}</p>` : ''}</dd>
</div>`;
}

/** Renders fields: what they are, how they are called, and what they are in the API. */
export const fieldList = (places: readonly FieldPlace[], catalog: Catalog): Html =>
  html`<dl class="fields">${places.map((place) => fieldEntry(place, catalog))}</dl>`;

function fieldEntry(place: FieldPlace, { addresses, sections }: Catalog): Html {
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
        ? apiName(parameterOf(field), field.name)
        : html`<p class="note">Calls <a href="${section}"><code>${action.scope}</code></a>.</p>`,
    ],
  );
}

/** Renders inputs. The fields of an input object follow it, under its name. */
export function inputs(given: readonly (GraphQLArgument | GraphQLInputField)[], addresses: Addresses): Html {
  return html`<dl class="fields">${given.map((one) => renderInput(one, '', addresses))}</dl>`;
}

function renderInput(
  one: GraphQLArgument | GraphQLInputField,
  prefix: string,
  addresses: Addresses,
): Content {
  const type = getNullableType(one.type);
  const own = entry(
    {
      name: html`${prefix === '' ? '' : html`<span class="prefix">${prefix}.</span>`}${one.name}`,
      id: null,
      type: isInputObjectType(type) ? String(one.type) : typeReference(one.type, addresses),
      badge: isNonNullType(one.type) ? 'required' : null,
      deprecated: one.deprecationReason,
    },
    [
      paragraphs(one.description),
      one.defaultValue === undefined
        ? ''
        : html`<p class="note">Default: <code>${JSON.stringify(one.defaultValue)}</code></p>`,
      apiName(parameterOf(one), one.name),
    ],
  );
  if (!isInputObjectType(type)) return own;
  return [own, Object.values(type.getFields()).map((field) => renderInput(field, one.name, addresses))];
}

/** Names the parameter of the API. */
function apiName(parameter: Parameter | null, name: string): Content {
  if (parameter === null) return '';
  const type = parameter.type === 'Resource' ? parameter.resource.join('.') : parameter.type;
  return html`<p class="note">${parameter.name === name ? 'In the API' : html`In the API <code>${parameter.name}</code>`}: ${type}</p>`;
}

/** Renders the names of arguments. */
const argumentNames = (field: Field): Content => {
  const filter = field.args.find(({ name }) => name === 'filter');
  const type = filter === undefined ? null : getNullableType(filter.type);
  const filters = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  const paged = field.args.some(({ name }) => name === 'after');
  const others = field.args.filter(({ name }) => !['first', 'after', 'filter'].includes(name));
  const names = (list: readonly string[]): Content => commaList(list.map((one) => html`<code>${one}</code>`));
  return [
    paged ? html`<p class="note">Paged by <code>first</code> and <code>after</code>.</p>` : '',
    filters.length > 0 ? html`<p class="note">Filtered by ${names(filters)}.</p>` : '',
    others.length > 0 ? html`<p class="note">Arguments: ${names(others.map(({ name }) => name))}.</p>` : '',
  ];
};

/** Renders the values of an enum. */
export const enumValues = (type: GraphQLEnumType): Html =>
  html`<dl class="values">${type
    .getValues()
    .map(
      ({ name, description }) =>
        html`<div><dt><code>${name}</code></dt><dd>${inline(description ?? '')}</dd></div>`,
    )}</dl>`;

/** Renders facts by their names. One that is null is left out. */
export const factList = (facts: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${facts.map(([name, fact]) =>
    fact === null ? null : html`<div><dt>${name}</dt><dd>${fact}</dd></div>`,
  )}</dl>`;
