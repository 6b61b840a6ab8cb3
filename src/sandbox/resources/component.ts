import { index, show } from '../actions.ts';
import type { ResourceDefinition } from '../definition.ts';
import { integer, string, text } from '../parameters.ts';

/** Components of the platform: the one list of objects that anybody may read. */
export const component: ResourceDefinition = {
  description: 'Browse components of the platform',
  auth: false,
  table: 'components',
  output: { id: integer(), name: string(), label: string(), description: text() },
  actions: {
    index: index({ description: 'List components' }),
    show: show({ description: 'Show component' }),
  },
};
