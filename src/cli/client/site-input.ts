// Makes the input of the generator of documentation sites from a schema.
import type { SiteInput } from '@optiongraph/docs-site';
import type { SchemaTexts } from '../../schema/descriptions/schema-texts.ts';
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

/** A schema as the input of a site. @param texts The texts that are written into it; null for its own. */
export function siteInput(
  { schema, description }: Pick<ServedSchema, 'schema' | 'description'>,
  texts: SchemaTexts | null = null,
): SiteInput {
  const list = findExampleList(schema);
  const query = createExampleQuery(schema);
  const internal = internalResourcesOf(schema);
  return {
    schema,
    resources: allResources([
      ...(description.authentication.token?.resources ?? []),
      ...description.resources,
    ]).map((resource) => ({
      path: resource.path,
      description: texts === null ? resource.description : texts.descriptionOf(resource),
      internal: internal.has(resource.path.join('.')),
    })),
    examples: {
      first: createExampleTabs(schema)[0] ?? null,
      list: list === null || query === null ? null : { query, row: list.row },
      leafNames,
      associationFields,
    },
  };
}
