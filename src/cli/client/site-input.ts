// Makes the input of the generator of documentation sites from a schema.
import type { SiteInput } from '@optiongraph/docs-site';
import {
  associationFields,
  createExampleQuery,
  findExampleList,
  leafNames,
} from '../../schema/examples/example-query.ts';
import { createExampleTabs } from '../../schema/examples/example-tabs.ts';
import { internalResourcesOf } from '../../schema/origin.ts';
import type { ServedSchema } from '../../schema/registry.ts';
import { allResources } from '../../upstream/description/select-actions.ts';

/** A schema as the input of a site. */
export function siteInput({ schema, description }: Pick<ServedSchema, 'schema' | 'description'>): SiteInput {
  const list = findExampleList(schema);
  const query = createExampleQuery(schema);
  const internal = internalResourcesOf(schema);
  return {
    schema,
    resources: allResources([
      ...(description.authentication.token?.resources ?? []),
      ...description.resources,
    ]).map(({ path, description: text }) => ({
      path,
      description: text,
      internal: internal.has(path.join('.')),
    })),
    examples: {
      first: createExampleTabs(schema)[0] ?? null,
      list: list === null || query === null ? null : { query, row: list.row },
      leafNames,
      associationFields,
    },
  };
}
