import { rowsOf } from './row.ts';

/** The resource of tokens. */
export const referenceTokenRows = [
  ...rowsOf(
    'reference / Token',
    `
token#request | \`POST /_auth/token/tokens\`, no authentication | in one step answers a token that works, with its end
token#renew | \`POST /_auth/token/tokens/renew\`, authenticated; output \`valid_to\` | that is renewed by hand moves with renew, not with use
token#revoke | \`POST /_auth/token/tokens/revoke\`, authenticated; no input or output | ends with revoke, which takes and answers nothing
token#totp | \`POST /_auth/token/tokens/totp\`, no authentication; output as request | goes on with a code to a token of its own
limit/token | 300 seconds of validity | is five minutes when nobody says
`,
  ),
];

/** What the resource of action states does beyond reading. */
export const referenceActionRows = [
  ...rowsOf(
    'reference / Action state',
    `
action_state#poll | \`GET …/poll\` with \`timeout\`, \`update_in\`, \`status\`, \`current\`, \`total\`; anonymous callers too | polls with the progress that was seen, and is answered at the end
action_state#poll timeout passes | answers the unfinished state | ends with its timeout, the action still going
action_state#poll timeout default | 15 seconds | of a poll is 15 seconds when nobody says, and needs no credential
action_state#cancel | \`POST …/cancel\`, no input or output; blocking | is asked for by POST where the state allows it
action_state#index order | newest or oldest, default newest | is newest first unless oldest is asked for
`,
  ),
];
