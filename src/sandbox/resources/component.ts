import { index, show } from '../actions.ts';
import type { Call, Failure, Fields, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { integer, string, text } from '../parameters.ts';
import { conflict, create, given, update } from '../writes.ts';

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

const nothing: Fields = { name: null, label: null, min: null, max: null, stepsize: null };

/** Resources that objects are made of. A new one is answered without its fields, by its id in the metadata alone. */
export const clusterResource: ResourceDefinition = {
  description: 'Manage environment resources',
  table: 'cluster_resources',
  output: {
    id: integer(),
    ...settings,
  },
  actions: {
    index: index({ description: 'List environment resources' }),
    show: show({ description: 'Show environment resource' }),
    create: create({
      description: 'Create an environment resource',
      role: 'admin',
      input: settings,
      output: {},
      change(call) {
        const fields = { ...nothing, ...given(call, Object.keys(settings)) };
        return nameTaken(call) ?? { now: () => call.store.insert('cluster_resources', fields) };
      },
    }),
    update: update({
      description: 'Update environment resource',
      role: 'admin',
      input: settings,
      change(call, row) {
        const now = () => {
          call.store.update('cluster_resources', row.id, given(call, Object.keys(settings)));
          return call.store.row('cluster_resources', row.id);
        };
        return nameTaken(call, row) ?? { now };
      },
    }),
  },
};

function nameTaken({ store, input }: Call, itself?: Row): Failure | undefined {
  const name = input.get('name');
  const taken = store.rows('cluster_resources').some((row) => row['name'] === name && row.id !== itself?.id);
  return taken ? conflict(`cluster resource '${name}' already exists`) : undefined;
}
