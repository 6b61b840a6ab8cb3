import { index, show } from '../actions.ts';
import type { Parameters, ResourceDefinition } from '../definition.ts';
import { integer, string, text } from '../parameters.ts';
import { create, update } from '../writes.ts';

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

const settings: Parameters = {
  name: string({ label: 'Resource name for internal purposes' }),
  label: string(),
  min: integer({ label: 'Minimum value', description: 'An allocating object must use more than this' }),
  max: integer({ label: 'Maximum value', description: 'An allocating object must not use more than this' }),
  stepsize: integer({ label: 'Step size', description: 'Step in which the allocated value may change' }),
};

/** Resources that objects are made of. */
export const clusterResource: ResourceDefinition = {
  description: 'Manage environment resources',
  table: 'cluster_resources',
  output: { id: integer(), ...settings },
  actions: {
    index: index({ description: 'List environment resources' }),
    show: show({ description: 'Show environment resource' }),
    create: create({
      description: 'Create environment resource',
      role: 'admin',
      parameters: settings,
      silent: true,
      values: (_call, given) => ({ name: null, label: null, min: null, max: null, stepsize: null, ...given }),
    }),
    update: update({ description: 'Update environment resource', role: 'admin', parameters: settings }),
  },
};
