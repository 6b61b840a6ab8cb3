import { index, show } from '../../actions/actions.ts';
import { refusesAmount } from '../../domain/amount.ts';
import {
  conflict,
  create,
  given,
  insertRow,
  isTaken,
  remove,
  removeRow,
  update,
  updateRow,
} from '../../domain/write-actions.ts';
import type { Call, Failure, Fields, Parameters, ResourceDefinition } from '../../engine/definition.ts';
import { association, integer, required, string } from '../../engine/parameters.ts';

const role = 'admin';
const which: Parameters = {
  environment: association('environment'),
  cluster_resource: association('cluster_resource'),
  class_name: string({ label: 'Class name', description: 'Class of the objects that get the value' }),
};
const amount: Parameters = { value: integer({ label: 'Value' }) };

/** How much of a cluster resource a new object of a class has in an environment. */
export const defaultObjectClusterResource: ResourceDefinition = {
  description: 'Manage default cluster resources values for objects',
  table: 'default_object_cluster_resources',
  output: { id: integer({ label: 'ID' }), ...which, ...amount },
  actions: {
    index: index({
      description: 'List default cluster resource values for objects',
      filters: Object.fromEntries(Object.entries(which).map(([name, parameter]) => [name, { parameter }])),
    }),
    show: show({ description: 'Show default cluster resource values for object' }),
    create: create({
      description: 'Create default cluster resource values for objects',
      role,
      input: required({ ...which, ...amount }),
      change(call) {
        const same = given(call, Object.keys(which));
        const refused = refusesValue(call, same);
        if (refused) return refused;
        return isTaken(call, same)
          ? conflict(`${same['class_name']} already has a default of this cluster resource`)
          : insertRow(call, given(call));
      },
    }),
    update: update({
      description: 'Update default cluster resource values for objects',
      role,
      input: required(amount),
      change: (call, row) => refusesValue(call, row) ?? updateRow(call, row),
    }),
    delete: remove({
      description: 'Delete default cluster resource values for objects',
      role,
      change: removeRow,
    }),
  },
};

function refusesValue({ store, input }: Call, { cluster_resource }: Fields): Failure | undefined {
  return refusesAmount(store.row('cluster_resources', cluster_resource), input.get('value'));
}
