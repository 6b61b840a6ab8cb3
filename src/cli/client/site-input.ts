// Makes the input of the generator of documentation sites from a schema.
import type { SiteInput } from '@optiongraph/docs-site';
import {
  associationFields,
  createExampleQuery,
  findExampleList,
  leafNames,
} from '../../schema/examples/example-query.ts';
import { createExampleTabs } from '../../schema/examples/example-tabs.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import { allResources } from '../../upstream/description/select-actions.ts';

/** A schema as the input of a site. */
export function siteInput({ schema, description }: Pick<ServedSchema, 'schema' | 'description'>): SiteInput {
  const list = findExampleList(schema);
  const query = createExampleQuery(schema);
  return {
    schema,
    resources: allResources([
      ...(description.authentication.token?.resources ?? []),
      ...description.resources,
    ]),
    examples: {
      first: createExampleTabs(schema)[0] ?? null,
      list: list === null || query === null ? null : { query, row: list.row },
      leafNames,
      associationFields,
    },
  };
}
