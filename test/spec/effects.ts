import { rowsOf } from './row.ts';

/** What calls do beyond their answer, and what keeps them from it. */
export const referenceEffectRows = [
  ...rowsOf(
    'reference / Dataset',
    `
dataset#create automount | mounts a new dataset where its parent is mounted | mounts a new dataset below its parent’s mounts, only where asked to
dataset#delete subtree | deletes all subdatasets and snapshots | deletes a dataset with all that is below it, and their snapshots
dataset#inherit effect | takes the parent’s properties | gives a dataset the properties of its parent
dataset#migrate effect | moves the dataset to another pool | moves a dataset and what is below it to another pool
dataset#find_by_name user | of that user | finds a dataset among those of one user
dataset#update admin_override | more than the user has, by administrators | assigns more space than a user has by an administrator’s override alone
dataset#update admin_lock_type | keeps others from changing the quota | binds others to the quota that an administrator has locked
dataset.snapshot#rollback effect | the snapshot’s state comes back | rolls a dataset back, and later snapshots go
`,
  ),
  ...rowsOf(
    'reference / Dataset expansion',
    `
dataset_expansion#create effect | adds space | expands the quota by the space that is added
dataset_expansion.history#create effect | adds more space | expands the quota by the space that is added
`,
  ),
  ...rowsOf(
    'reference / Cluster',
    `
cluster counts | counts of VPSes and users by state | counts each VPS and user in one state
`,
  ),
  ...rowsOf(
    'reference / Action state',
    `
action_state#index paging | \`from_id\` and \`limit\` | pages the states of actions
action_state#poll timeout left out | 15 seconds pass | waits for 15 seconds when nobody says how long
`,
  ),
  ...rowsOf(
    'reference / DNS record',
    `
dns_record#dynamic_update blocking | blocking; anonymous | updates a record by an action that whoever began it can follow
`,
  ),
];

/** What holds for every blocking action while it runs, and when it fails. */
export const actionEffectRows = rowsOf(
  'protocol / Blocking actions',
  `
blocking/lock | what an action touches is its own while it runs | keeps others from what an action touches
blocking/undo | a failed action leaves nothing | leaves nothing of an action that failed
blocking/updated | each step has its time | tells the time of each step
`,
);
