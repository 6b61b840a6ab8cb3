// Defines the resource of platform components, which anonymous callers may read.
import { index, show } from '../actions/actions.ts';
import type { ResourceDefinition } from '../engine/definition.ts';
import { integer, string, text } from '../engine/parameters.ts';

/** Components of the platform. This is the only list of objects that anonymous callers may read. */
export const component: ResourceDefinition = {
  description: 'Browse components of the platform',
  auth: false,
  table: 'components',
  output: { id: integer(), name: string(), label: string(), description: text() },
  actions: {
    index: index({
      description: 'List components',
      examples: [
        {
          title: 'A page of one component',
          request: { from_id: 1, limit: 1 },
          response: [{ id: 2, name: 'console' }],
        },
      ],
    }),
    show: show({
      description: 'Show component',
      examples: [
        { title: 'A component by its id', pathParams: [3], response: { id: 3, name: 'webui' } },
        {
          title: 'An unknown id',
          comment: 'Some other resources report an unknown id with HTTP status 200.',
          pathParams: [99],
          failure: { message: 'object not found' },
          httpStatus: 404,
        },
      ],
    }),
  },
};
