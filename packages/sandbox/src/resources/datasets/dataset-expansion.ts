// Defines the resources of dataset expansions and of dataset plans.
import { index, show } from '../../actions/actions.ts';
import { visibleToOwnerOf } from '../../domain/access.ts';
import type { Parameters, ResourceDefinition } from '../../engine/definition.ts';
import { association, choice, datetime, integer, string } from '../../engine/parameters.ts';
import {
  addedSpace,
  createHistory,
  expansionSettings,
  expansionWrites,
  maxOverRefquotaSeconds,
} from './dataset-expansion-writes.ts';

const output: Parameters = {
  id: integer({ label: 'ID' }),
  vps: association('vps', 'hostname', { label: 'VPS', ignoresIncludes: true }),
  dataset: association('dataset', 'name'),
  state: choice(['active', 'resolved'], { label: 'State' }),
  original_refquota: integer({ label: 'Original reference quota' }),
  added_space: addedSpace,
  ...expansionSettings,
  over_refquota_seconds: integer(),
  max_over_refquota_seconds: maxOverRefquotaSeconds,
  created_at: datetime(),
};

/** Temporary expansions of datasets, with the history of the added space. */
export const datasetExpansion: ResourceDefinition = {
  description: 'Browse dataset expansions',
  table: 'dataset_expansions',
  isVisible: visibleToOwnerOf('dataset', 'datasets'),
  output,
  actions: {
    index: index({ description: 'List dataset expansions' }),
    show: show({ description: 'Show dataset expansion' }),
    ...expansionWrites,
  },
  resources: {
    history: {
      description: 'Browse dataset expansion history',
      route: 'history',
      table: 'expansion_histories',
      parent: 'dataset_expansion',
      output: {
        id: integer(),
        added_space: addedSpace,
        original_refquota: integer({ label: 'Original refquota' }),
        new_refquota: integer({ label: 'New refquota' }),
        created_at: datetime({ label: 'Created at' }),
        admin: association('user', 'login'),
      },
      actions: {
        index: index({ description: 'List dataset expansion history' }),
        show: show({ description: 'Show dataset expansion history' }),
        create: createHistory,
      },
    },
  },
};

/** Backup plans of datasets. */
export const datasetPlan: ResourceDefinition = {
  description: 'See dataset plans',
  table: 'dataset_plans',
  output: {
    id: integer({ label: 'ID' }),
    label: string({ label: 'Label' }),
    description: string({ label: 'Description' }),
  },
  actions: {
    index: index({ description: 'List dataset plans' }),
    show: show({ description: 'Show dataset plan' }),
  },
};
