import { owns } from '../access.ts';
import { index, show } from '../actions.ts';
import type { Failure, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { association, boolean, choice, float, integer, string } from '../parameters.ts';
import type { Store } from '../store.ts';
import { plan, propertyHistory, snapshot } from './dataset-nested.ts';
import { datasetWrites } from './dataset-writes.ts';

const properties: Parameters = {
  atime: boolean({
    label: 'Access time',
    description: 'Controls whether the access time for files is updated when they are read',
    default: false,
  }),
  compression: boolean({
    label: 'Compression',
    description: 'Toggle data compression in this dataset',
    default: true,
  }),
  recordsize: integer({
    label: 'Record size',
    description: 'Specifies a suggested block size for files in the file system',
    default: 131_072,
  }),
  quota: integer({
    label: 'Quota',
    description: 'Limits the amount of space a dataset and all its descendants can consume',
    default: 0,
  }),
  refquota: integer({
    label: 'Reference quota',
    description: 'Limits the amount of space a dataset can consume',
    default: 0,
  }),
  relatime: boolean({
    label: 'Relative access time',
    description: 'Access time is only updated if older than modify or change time, or older than 24 hours',
    default: false,
  }),
  sync: choice(['standard', 'disabled'], {
    label: 'Sync',
    description: 'Controls the behavior of synchronous requests',
    default: 'standard',
  }),
  sharenfs: string({ label: 'NFS share', description: 'Controls NFS sharing', role: 'admin' }),
};

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
const notFound: Failure = { ok: false, message: 'object not found', http: 404 };

/** Datasets. The list is sorted by name, and `from_id` nevertheless lists the ids above it. */
export const dataset: ResourceDefinition = {
  description: 'Manage datasets',
  table: 'datasets',
  sees: owns('user'),
  output,
  actions: {
    index: index({
      description: 'List datasets',
      order: (a, b) => compareText(String(a['name']), String(b['name'])),
      filters: {
        user: { parameter: ownerInput },
        vps: { parameter: association('vps', 'hostname', { label: 'VPS', nullable: true }) },
        dataset: { parameter: association('dataset', 'name', { label: 'Subtree' }), keeps: isWithin },
        primary_pool: {
          parameter: association('pool', 'name', {
            label: 'Primary pool',
            description: 'Show only datasets on this pool',
          }),
          keeps: (row, pool) => row['pool'] === pool,
        },
        role: {
          parameter: choice(['hypervisor', 'primary', 'backup'], {
            label: 'Role',
            description: 'Show only datasets of certain role',
          }),
          keeps: (row, role, store) => store.row('pools', row['pool'])?.['role'] === role,
        },
        to_depth: {
          parameter: integer({ label: 'To depth', description: 'Show only datasets to certain depth' }),
          keeps: (row, depth) => typeof depth !== 'number' || depthOf(row) <= depth,
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
        return row ? { ok: true, items: [row] } : notFound;
      },
    },
    show: show({ description: 'Show a dataset' }),
    ...datasetWrites(properties),
  },
  resources: { snapshot, plan, property_history: propertyHistory },
};

/** Whether a dataset is the given one or below it. */
function isWithin(row: Row, top: unknown, store: Store): boolean {
  for (let at: Row | undefined = row; at; at = store.row('datasets', at['parent'])) {
    if (at.id === top) return true;
  }
  return false;
}

/** Top datasets are at depth 0. */
function depthOf(row: Row): number {
  return String(row['name']).split('/').length - 1;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
