// Defines the resource of cluster resource packages and their items.
import { index, show } from '../../actions/actions.ts';
import { timestamp } from '../../actions/running-actions.ts';
import { checkAmount } from '../../domain/amount.ts';
import {
  conflict,
  create,
  inputFields,
  insertRow,
  invalidInput,
  isTaken,
  remove,
  removeRow,
  update,
  updateRow,
} from '../../domain/write-actions.ts';
import type { Parameters, ResourceDefinition } from '../../engine/definition.ts';
import { association, datetime, integer, string } from '../../engine/parameters.ts';

const environment = association('environment');
const user = association('user', 'login');
const label: Parameters = {
  label: string({ label: 'Label', required: true, validators: { length: { min: 2 } } }),
};
const amount: Parameters = { value: integer({ label: 'Value' }) };
const resourceAmount: Parameters = { cluster_resource: association('cluster_resource'), ...amount };

/** Items of a package: an amount for each cluster resource. */
const item: ResourceDefinition = {
  description: 'Manage cluster resource package contents',
  table: 'package_items',
  parent: 'cluster_resource_package',
  output: { id: integer({ label: 'ID' }), ...resourceAmount },
  actions: {
    index: index({ description: 'List package contents', role: 'admin' }),
    show: show({ description: 'Show package content', role: 'admin' }),
    create: create({
      description: 'Add item to a package',
      role: 'admin',
      input: resourceAmount,
      change(call, parent) {
        const { cluster_resource, value } = inputFields(call);
        if (cluster_resource === undefined) {
          return invalidInput('create failed', { cluster_resource_id: 'must exist' });
        }
        if (value === undefined) return invalidInput('create failed', { value: "can't be blank" });
        const failure = checkAmount(call.store.row('cluster_resources', cluster_resource), value);
        if (failure) return failure;
        const columns = { cluster_resource_package: parent?.id, cluster_resource };
        return isTaken(call, columns)
          ? conflict('the package already has this cluster resource')
          : insertRow(call, { ...columns, value });
      },
    }),
    update: update({
      description: 'Update an item of a package',
      role: 'admin',
      input: amount,
      change(call, row) {
        const resource = call.store.row('cluster_resources', row['cluster_resource']);
        return checkAmount(resource, call.input.get('value')) ?? updateRow(call, row);
      },
    }),
    delete: remove({ description: 'Remove an item of a package', role: 'admin', change: removeRow }),
  },
};

/** Packages of cluster resources. A package with an owner applies in one environment; the others are for all users. */
export const clusterResourcePackage: ResourceDefinition = {
  description: 'Manage cluster resource packages',
  table: 'cluster_resource_packages',
  output: {
    id: integer({ label: 'ID' }),
    label: string({ label: 'Label' }),
    environment,
    user,
    created_at: datetime(),
    updated_at: datetime(),
  },
  actions: {
    index: index({
      description: 'List cluster resource packages',
      role: 'admin',
      filters: {
        environment: { parameter: { ...environment, nullable: true } },
        user: { parameter: { ...user, nullable: true } },
      },
    }),
    show: show({ description: 'Show cluster resource package', role: 'admin' }),
    create: create({
      description: 'Create a cluster resource package',
      role: 'admin',
      examples: [
        {
          title: 'A label that is too short',
          request: { label: 'x' },
          failure: {
            message: 'input parameters are not valid',
            errors: { label: ['length has to be minimally 2'] },
          },
        },
      ],
      input: label,
      change(call) {
        const now = timestamp();
        return insertRow(call, {
          environment: null,
          user: null,
          ...inputFields(call),
          created_at: now,
          updated_at: now,
        });
      },
    }),
    update: update({
      description: 'Update a cluster resource package',
      role: 'admin',
      input: label,
      change: (call, row) => updateRow(call, row, { ...inputFields(call), updated_at: timestamp() }),
    }),
    delete: remove({ description: 'Delete a cluster resource package', role: 'admin', change: removeRow }),
  },
  resources: { item },
};
