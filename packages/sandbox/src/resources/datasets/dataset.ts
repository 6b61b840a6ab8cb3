// Defines the resource of datasets.
import { index, notFound, show } from '../../actions/actions.ts';
import { visibleToOwner } from '../../domain/access.ts';
import { datasetDepth, isInSubtree, properties } from '../../domain/datasets.ts';
import type { Parameters, ResourceDefinition } from '../../engine/definition.ts';
import { ascendingBy } from '../../engine/lists.ts';
import { association, choice, float, integer, string } from '../../engine/parameters.ts';
import { isOnPool } from './dataset-migration.ts';
import { plan, propertyHistory, snapshot } from './dataset-nested.ts';
import { datasetWrites } from './dataset-writes.ts';

const space: Parameters = {
  used: integer({ label: 'Used space', description: 'Amount of space used by dataset', default: 0 }),
  referenced: integer({
    label: 'Referenced space',
    description: 'Amount of space that is accessible to this dataset',
    default: 0,
  }),
  avail: integer({ label: 'Available space', description: 'Amount of space left in dataset', default: 0 }),
  compressratio: float({
    label: 'Used compression ratio',
    description: 'Compression ratio for used space of this dataset',
    default: 1,
  }),
  refcompressratio: float({
    label: 'Referenced compression ratio',
    description: 'Compression ratio for referenced space of this dataset',
    default: 1,
  }),
};

const output: Parameters = {
  id: integer(),
  name: string(),
  parent: association('dataset', 'name', { label: 'Parent' }),
  user: association('user', 'login', { description: 'Dataset owner' }),
  environment: association('environment', 'label', {
    description: 'The environment in which the dataset is',
  }),
  current_history_id: integer(),
  ...properties,
  ...space,
  vps: association('vps', 'hostname', { label: 'VPS' }),
  export: association('export', 'path', { ignoresIncludes: true }),
  dataset_expansion: association('dataset_expansion', 'created_at'),
};

const ownerInput = association('user', 'login', { description: 'Dataset owner', role: 'admin' });

/** Datasets. The list is sorted by name, but `from_id` lists higher ids. */
export const dataset: ResourceDefinition = {
  description: 'Manage datasets',
  table: 'datasets',
  isVisible: visibleToOwner('user'),
  output,
  actions: {
    index: index({
      description: 'List datasets',
      order: ascendingBy('name'),
      filters: {
        user: { parameter: ownerInput },
        vps: { parameter: association('vps', 'hostname', { label: 'VPS', nullable: true }) },
        dataset: { parameter: association('dataset', 'name', { label: 'Subtree' }), matches: isInSubtree },
        primary_pool: {
          parameter: association('pool', 'name', {
            label: 'Primary pool',
            description: 'Show only datasets on this pool',
          }),
          matches: isOnPool,
        },
        role: {
          parameter: choice(['hypervisor', 'primary', 'backup'], {
            label: 'Role',
            description: 'Show only datasets of certain role',
          }),
          matches: (row, role, store) => store.row('pools', row['pool'])?.['role'] === role,
        },
        to_depth: {
          parameter: integer({ label: 'To depth', description: 'Show only datasets to certain depth' }),
          matches: (row, depth) => typeof depth !== 'number' || datasetDepth(row) <= depth,
        },
      },
    }),
    find_by_name: {
      description: 'Look up dataset by its name',
      route: '/find_by_name',
      input: { parameters: { name: string({ label: 'Name' }), user: ownerInput } },
      execute({ store, caller, input }) {
        const owner = input.get('user') ?? caller?.id;
        const row = store
          .rows('datasets')
          .find((candidate) => candidate['name'] === input.get('name') && candidate['user'] === owner);
        return row ? { ok: true, items: [row] } : notFound.status;
      },
    },
    show: show({ description: 'Show a dataset' }),
    ...datasetWrites,
  },
  resources: { snapshot, plan, property_history: propertyHistory },
};
