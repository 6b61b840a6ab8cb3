import { rowsOf } from './row.ts';

/** Signing in: states of a token, and each way to authenticate. */
export const signInRows = [
  ...rowsOf(
    'protocol / States / Token',
    `
token/issued | credentials in one step: a usable token, \`valid_to\`, \`complete\`, \`next_action\` | in one step answers a token that works, with its end
token/next-step | more steps: a token for the next one alone, which is named | in two steps answers first a token for the next step alone, which it names
token/totp | an accepted code: a further token | goes on with a code to a token of its own
token/fixed | ends at \`valid_to\`, no renewal | that is fixed ends in time, and cannot be renewed
token/renewable_manual | moved by renew | that is renewed by hand moves with renew, not with use
token/renewable_auto | moved by every use | that renews itself moves to now plus its interval with every use
token/permanent | no end | that is permanent has no end but by revoking
token/revoked | revoke ends it | ends with revoke, which takes and answers nothing
`,
  ),
  ...rowsOf(
    'protocol / Authentication',
    `
basic | base64 of user and password in \`Authorization\` | of HTTP basic are passed on as they came
basic/one-factor | no second factor | of HTTP basic are not enough for a user with a second step
token/header | \`X-Service-Auth-Token\` | as a token go in the header that the description names
token/query | \`_auth_token\` | as a token may also stand in the query, at the sandbox
token/scope | \`<resource path>#<action>\`, nested ones with a dot | of a scope is for the actions that it names
token/wrong-password | no token for wrong credentials | with a wrong password answers no token
token/wrong-code | no token for a wrong code | does not go on with a wrong code
auth/required | anonymous callers are refused where authentication is required | missing where they are needed are an error, and no call
auth/description | the description is cut to what the caller may use | decide which actions and parameters a caller is described
`,
  ),
];
