import { rowsOf } from './row.ts';

/** Blocking actions, their states, and the resource of states. */
export const actionRows = [
  ...rowsOf(
    'protocol / Blocking actions',
    `
blocking/result | its result as usual, and \`action_state_id\` | answers its result and the id of its state, which is short of its total
blocking/meta | \`action_state_id\` in the global output metadata | names its state in the global metadata of its answer
blocking/null | not blocking for a call with no \`action_state_id\` | that had nothing to wait for has no state
`,
  ),
  ...rowsOf(
    'protocol / States / Blocking action',
    `
state/none | a call makes a record, current below total | answers its result and the id of its state, which is short of its total
state/progress | an update changes current | moves its progress
state/finished | finished when current equals total | is finished when its progress is its total
state/failing | \`status\` false: it fails | that fails says so by its status
state/poll-answered | pollers are answered at the end | polls with the progress that was seen, and is answered at the end
state/cancel | POST where \`can_cancel\` | is asked for by POST where the state allows it
state/cancel-blocking | cancelling is blocking | is itself blocking, with a state of its own
state/cancel-refused | not where \`can_cancel\` is false | is refused where the state does not allow it
`,
  ),
];
