// Lists what the search of the site finds.
import { actionOf } from '../../../../src/index.ts';
import {
  anchorOf,
  type Catalog,
  type CatalogResource,
  COMMON_PAGE,
  type FieldPlace,
  placesOf,
} from '../catalog/catalog.ts';
import { summarize } from '../html/prose.ts';
import type { GuidePage } from '../site-files.ts';
import type { SearchEntry } from './search-entry.ts';

/** Lists resources, actions, fields, types and headings of the guide. */
export function searchEntries(catalog: Catalog, guide: readonly GuidePage[]): readonly SearchEntry[] {
  // A field may be explained on the page of another resource, whose action it stands for.
  const explained = new Set(
    catalog.resources.flatMap(({ actions }) => actions.map(({ main }) => main.field)),
  );
  return [
    ...guide.flatMap(guideEntries),
    ...catalog.resources.flatMap((resource) => resourceEntries(resource, explained)),
    ...catalog.commonFields.map((place) => fieldEntry(place, COMMON_PAGE)),
    ...catalog.commonTypes.map(
      ({ name, description }): SearchEntry => [
        name,
        'type',
        `${COMMON_PAGE}#${name}`,
        summarize(description),
      ],
    ),
  ];
}

const guideEntries = ({ file, title, anchors }: GuidePage): readonly SearchEntry[] => [
  [title, 'guide', file, ''],
  ...anchors.map((one): SearchEntry => [one.title, 'guide', `${file}#${one.id}`, title]),
];

function resourceEntries(
  resource: CatalogResource,
  explained: ReadonlySet<FieldPlace['field']>,
): readonly SearchEntry[] {
  const { file, title, path, description, type, actions, enums } = resource;
  return [
    [title, 'resource', file, joinTexts(path.join('.'), description)],
    ...actions.map(({ action, isMutation, main }): SearchEntry => {
      const text = joinTexts(action.scope, action.description);
      return [anchorOf(main), isMutation ? 'mutation' : 'query', `${file}#${anchorOf(main)}`, text];
    }),
    ...placesOf(type)
      .filter(({ field }) => !explained.has(field))
      .map((place) => fieldEntry(place, file)),
    ...enums.map(({ name }): SearchEntry => [name, 'enum', `${file}#${name}`, '']),
  ];
}

/** Puts the first sentence of a description, if there is one, behind a name. */
const joinTexts = (name: string, description: string | null): string =>
  [name, summarize(description)].filter((text) => text !== '').join(' · ');

function fieldEntry(place: FieldPlace, file: string): SearchEntry {
  const { field } = place;
  const text = (actionOf(field) ?? field).description;
  return [anchorOf(place), 'field', `${file}#${anchorOf(place)}`, summarize(text)];
}

/**
 * Writes the entries as a script, because pages from files cannot fetch. JSON within a string keeps what would be syntax in a script,
 * such as `__proto__`, as data.
 */
export const searchScript = (entries: readonly SearchEntry[]): string =>
  `globalThis.searchEntries = JSON.parse(${JSON.stringify(JSON.stringify(entries))});\n`;
