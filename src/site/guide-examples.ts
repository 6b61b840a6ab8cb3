// Makes the examples of the guide from a schema.
import { createExampleTabs } from '../explorer/example-tabs.ts';
import { rowTypeOf } from '../schema/row-type.ts';
import type { Catalog, CatalogAction } from './catalog.ts';
import { createExample } from './example.ts';

/** Documents by the names under which the guide asks for them. */
export type GuideExamples = ReadonlyMap<string, string>;

/** Makes an example of each kind that the schema has. */
export function createGuideExamples(catalog: Catalog): GuideExamples {
  const { schema, resources, commonFields } = catalog;
  const actions = resources.flatMap((one) => one.actions);
  const first = (
    name: string,
    isWanted: (one: CatalogAction) => boolean,
  ): readonly [string, string | undefined] => {
    const found = actions.find(isWanted);
    return [name, found === undefined ? undefined : createExample(schema, found.main)?.query];
  };
  const common = (name: string): readonly [string, string | undefined] => {
    const place = commonFields.find(({ field }) => field.name === name);
    return [name, place === undefined ? undefined : createExample(schema, place)?.query];
  };
  const [list] = createExampleTabs(schema);
  const isOneRoot = ({ main }: CatalogAction): boolean => main.type === schema.getQueryType();
  const all = [
    ['list', list?.query] as const,
    first(
      'object',
      (one) => one.action.name === 'show' && isOneRoot(one) && one.main.field.args.length === 1,
    ),
    first('page', (one) => isOneRoot(one) && rowTypeOf(one.main.field) !== null),
    first('create', ({ action, isMutation }) => isMutation && action.name === 'create' && !action.blocking),
    first('action', ({ action, isMutation }) => isMutation && action.blocking),
    ...['session', 'node', 'actionProgress', 'pendingActions'].map(common),
  ];
  return new Map(all.flatMap(([name, query]) => (query === undefined ? [] : [[name, query] as const])));
}
