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
dataset#migrate finish_weekday effect | finishes on this day | finishes a migration on the day and at the minute that are asked for
dataset#migrate finish_minutes effect | finishes at this minute after midnight | finishes a migration on the day and at the minute that are asked for
dataset#migrate cleanup_data effect | removes the dataset from its pool, or does not | leaves the data of a migration on its pool where it is not to be cleaned up
dataset#find_by_name user | of that user | finds a dataset among those of one user
dataset#update admin_override | more than the user has, by administrators | assigns more space than a user has by an administrator’s override alone
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
cluster counts of nodes | nodes, those online, and addresses | counts nodes and addresses, and tells everybody those that are left
cluster#public_stats ipv4_left | free public addresses | counts nodes and addresses, and tells everybody those that are left
cluster#search result | resource, id, attribute and value of what holds the value | is searched for users and VPSes, by id and name, and for what they own
`,
  ),
  ...rowsOf(
    'reference / Cluster resource package',
    `
cluster_resource_package updated_at | the time of the last update | a package tells when it was updated
`,
  ),
  ...rowsOf(
    'reference / Action state',
    `
action_state#index paging | \`from_id\` and \`limit\` | pages the states of actions
action_state#index unfinished | the caller’s actions that have not ended | list what has not ended, and nobody else’s
action_state#poll status | compared where \`update_in\` is set | is answered at once where its status is another
action_state#poll current | compared where \`update_in\` is set | is answered at once where its current is another
action_state#poll total | compared where \`update_in\` is set | is answered at once where its total is another
action_state#poll update_in | returns where the progress changed | is answered by the next progress where all is as it was seen
action_state#poll no update_in | returns when the action is completed | is answered by the end alone where it does not ask for progress
action_state#poll timeout left out | 15 seconds pass | waits for 15 seconds when nobody says how long
`,
  ),
  ...rowsOf(
    'reference / DNS record',
    `
dns_record#dynamic_update secret | a secret of the record, while updates are enabled | ends when it is turned off, and has another secret when it is on again
dns_record updated_at | the time of the last update | a record tells when it was updated
dns_record#dynamic_update blocking | blocking; anonymous | updates a record by an action that whoever began it can follow
`,
  ),
];

/** What holds for every blocking action while it runs, and when it fails. */
export const actionEffectRows = rowsOf(
  'protocol / Blocking actions',
  `
blocking/lock | what an action touches is its own while it runs | keeps others from what an action touches
blocking/cancel | a cancelled action leaves nothing | that are cancelled are rolled back to nothing
blocking/undo | a failed action leaves nothing | leaves nothing of an action that failed
blocking/updated | each step has its time | tells the time of each step
`,
);
