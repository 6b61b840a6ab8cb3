// Defines the resource of default amounts that new objects get of each cluster resource.
import { index, show } from '../../actions/actions.ts';
import { checkAmount } from '../../domain/amount.ts';
import {
  conflict,
  create,
  inputFields,
  insertRow,
  isTaken,
  remove,
  removeRow,
  update,
  updateRow,
} from '../../domain/write-actions.ts';
import type { Call, Failure, Fields, Parameters, ResourceDefinition } from '../../engine/definition.ts';
import { allRequired, association, integer, string } from '../../engine/parameters.ts';

const key: Parameters = {
  environment: association('environment'),
  cluster_resource: association('cluster_resource'),
  class_name: string({ label: 'Class name', description: 'Class of the objects that get the value' }),
};
const amount: Parameters = { value: integer({ label: 'Value' }) };

/** The amount of a cluster resource that a new object of a class gets in an environment. */
export const defaultObjectClusterResource: ResourceDefinition = {
  description: 'Manage default cluster resources values for objects',
  table: 'default_object_cluster_resources',
  output: { id: integer({ label: 'ID' }), ...key, ...amount },
  actions: {
    index: index({
      description: 'List default cluster resource values for objects',
      filters: Object.fromEntries(Object.entries(key).map(([name, parameter]) => [name, { parameter }])),
    }),
    show: show({ description: 'Show default cluster resource values for object' }),
    create: create({
      description: 'Create default cluster resource values for objects',
      role: 'admin',
      input: allRequired({ ...key, ...amount }),
      change(call) {
        const keyFields = inputFields(call, Object.keys(key));
        const failure = checkValue(call, keyFields);
        if (failure) return failure;
        return isTaken(call, keyFields)
          ? conflict(`${keyFields['class_name']} already has a default of this cluster resource`)
          : insertRow(call, inputFields(call));
      },
    }),
    update: update({
      description: 'Update default cluster resource values for objects',
      role: 'admin',
      input: allRequired(amount),
      change: (call, row) => checkValue(call, row) ?? updateRow(call, row),
    }),
    delete: remove({
      description: 'Delete default cluster resource values for objects',
      role: 'admin',
      change: removeRow,
    }),
  },
};

function checkValue({ store, input }: Call, { cluster_resource }: Fields): Failure | undefined {
  return checkAmount(store.row('cluster_resources', cluster_resource), input.get('value'));
}
