// Lists what the search of the site finds.
import { anchorOf, type Catalog, COMMON_PAGE } from '../catalog/catalog.ts';
import { summarize } from '../html/prose.ts';
import type { GuidePage } from '../site-files.ts';
import type { SearchEntry } from './search-entry.ts';

/** Lists resources, actions, fields, types and headings of the guide. */
export function searchEntries(catalog: Catalog, guide: readonly GuidePage[]): readonly SearchEntry[] {
  const { resources, commonFields, commonTypes } = catalog;
  return [
    ...guide.flatMap(({ file, title, headings }): readonly SearchEntry[] => [
      [title, 'guide', file, ''],
      ...headings.map((one): SearchEntry => [one.title, 'guide', `${file}#${one.id}`, title]),
    ]),
    ...resources.flatMap(
      ({ file, title, path, description, type, actions, enums }): readonly SearchEntry[] => [
        [title, 'resource', file, `${path.join('.')} ${summarize(description)}`],
        ...actions.map(({ action, isMutation, main }): SearchEntry => {
          const text = `${action.scope} ${summarize(action.description)}`;
          return [anchorOf(main), isMutation ? 'mutation' : 'query', `${file}#${anchorOf(main)}`, text];
        }),
        ...Object.values(type?.getFields() ?? {}).map((field): SearchEntry => {
          const coordinate = `${type?.name}.${field.name}`;
          return [coordinate, 'field', `${file}#${coordinate}`, summarize(field.description)];
        }),
        ...enums.map(({ name }): SearchEntry => [name, 'enum', `${file}#${name}`, '']),
      ],
    ),
    ...commonFields.map((place): SearchEntry => {
      const { field } = place;
      return [anchorOf(place), 'field', `${COMMON_PAGE}#${anchorOf(place)}`, summarize(field.description)];
    }),
    ...commonTypes.map(
      ({ name, description }): SearchEntry => [
        name,
        'type',
        `${COMMON_PAGE}#${name}`,
        summarize(description),
      ],
    ),
  ];
}

/**
 * Writes the entries as a script, because pages from files cannot fetch. JSON within a string keeps what would be syntax in a script,
 * such as `__proto__`, as data.
 */
export const searchScript = (entries: readonly SearchEntry[]): string =>
  `globalThis.searchEntries = JSON.parse(${JSON.stringify(JSON.stringify(entries))});\n`;
