// Lists the endpoints of dataset expansions and dataset plans.
import type { Endpoint } from './endpoint.ts';

const ERRORS = 'userErrors { message }';

export const expansionEndpoints: readonly Endpoint[] = [
  {
    action: 'dataset_expansion#create',
    path: 'POST /v7.0/dataset_expansions',
    blocking: true,
    operation: `mutation { it: datasetExpansionCreate(input: { dataset: 106, addedSpace: 100, enableShrink: true, stopVps: false, maxOverRefquotaSeconds: 60 }) { actionState { databaseId } made: datasetExpansion { databaseId } ${ERRORS} } }`,
    body: {
      dataset_expansion: {
        dataset: 106,
        added_space: 100,
        enable_shrink: true,
        stop_vps: false,
        max_over_refquota_seconds: 60,
      },
    },
    answer: { userErrors: [] },
    holds: [
      '/v7.0/dataset_expansions/{made}',
      {
        dataset: { id: 106 },
        original_refquota: 92_160,
        added_space: 100,
        enable_shrink: true,
        stop_vps: false,
        max_over_refquota_seconds: 60,
      },
    ],
  },
  {
    action: 'dataset_expansion#index',
    path: 'GET /v7.0/dataset_expansions',
    operation: '{ it: datasetExpansions(first: 1) { nodes { databaseId } } }',
    query: 'dataset_expansion[limit]=2',
    answer: { nodes: [{ databaseId: 1 }] },
  },
  {
    action: 'dataset_expansion#register_expanded',
    path: 'POST /v7.0/dataset_expansions/register_expanded',
    operation: `mutation { it: datasetExpansionRegisterExpanded(input: { dataset: 107, originalRefquota: 5, enableNotifications: false }) { made: datasetExpansion { databaseId } ${ERRORS} } }`,
    body: { dataset_expansion: { dataset: 107, original_refquota: 5, enable_notifications: false } },
    answer: { userErrors: [] },
    holds: [
      '/v7.0/dataset_expansions/{made}',
      { dataset: { id: 107 }, original_refquota: 5, added_space: 163_835, enable_notifications: false },
    ],
  },
  {
    action: 'dataset_expansion#show',
    path: 'GET /v7.0/dataset_expansions/{dataset_expansion_id}',
    at: [2],
    operation: '{ it: datasetExpansion(id: 2) { databaseId } }',
    answer: { databaseId: 2 },
  },
  {
    action: 'dataset_expansion#update',
    path: 'PUT /v7.0/dataset_expansions/{dataset_expansion_id}',
    at: [2],
    operation: `mutation { it: datasetExpansionUpdate(id: 2, input: { enableNotifications: false, enableShrink: true, stopVps: true, maxOverRefquotaSeconds: 5 }) { datasetExpansion { stopVps } ${ERRORS} } }`,
    body: {
      dataset_expansion: {
        enable_notifications: false,
        enable_shrink: true,
        stop_vps: true,
        max_over_refquota_seconds: 5,
      },
    },
    answer: { datasetExpansion: { stopVps: true } },
    holds: [
      '/v7.0/dataset_expansions/2',
      { enable_notifications: false, enable_shrink: true, stop_vps: true, max_over_refquota_seconds: 5 },
    ],
  },
  {
    action: 'dataset_expansion.history#create',
    path: 'POST /v7.0/dataset_expansions/{dataset_expansion_id}/history',
    at: [9],
    blocking: true,
    operation: `mutation { it: datasetExpansionHistoryCreate(datasetExpansion: 9, input: { addedSpace: 10 }) { actionState { databaseId } made: history { databaseId addedSpace } ${ERRORS} } }`,
    body: { history: { added_space: 10 } },
    answer: { made: { addedSpace: 10 } },
    holds: [
      '/v7.0/dataset_expansions/9/history/{made}',
      { added_space: 10, original_refquota: 163_840, new_refquota: 163_850, admin: { id: 1 } },
    ],
  },
  {
    action: 'dataset_expansion.history#index',
    path: 'GET /v7.0/dataset_expansions/{dataset_expansion_id}/history',
    at: [2],
    operation: '{ it: datasetExpansion(id: 2) { histories(first: 1) { nodes { databaseId } } } }',
    query: 'history[limit]=2',
    answer: { histories: { nodes: [{ databaseId: 5 }] } },
  },
  {
    action: 'dataset_expansion.history#show',
    path: 'GET /v7.0/dataset_expansions/{dataset_expansion_id}/history/{history_id}',
    at: [2, 6],
    operation: '{ it: datasetExpansion(id: 2) { history(id: 6) { databaseId } } }',
    answer: { history: { databaseId: 6 } },
  },
  {
    action: 'dataset_plan#index',
    path: 'GET /v7.0/dataset_plans',
    operation: '{ it: datasetPlans(first: 1) { nodes { label } } }',
    query: 'dataset_plan[limit]=2',
    answer: { nodes: [{ label: 'Daily backup' }] },
  },
  {
    action: 'dataset_plan#show',
    path: 'GET /v7.0/dataset_plans/{dataset_plan_id}',
    at: [3],
    operation: '{ it: datasetPlan(id: 3) { label } }',
    answer: { label: 'No backup' },
  },
];
