import { blockingRows } from './blocking.ts';
import { actionEffectRows } from './effects.ts';
import { actionRows } from './protocol-actions.ts';
import { limitRows } from './protocol-limits.ts';
import { signInRows } from './protocol-sign-in.ts';
import { type Row, rowsOf } from './row.ts';

/** The rows of the document on the protocol. */
export const protocolRows: readonly Row[] = [
  ...rowsOf(
    'protocol / Request format',
    `
request/json | JSON alone, and its Content-Type | carries JSON, and nothing else
request/namespace | parameters in the namespace of the action | wraps its parameters in the namespace of its action
request/accept | the output format by Accept | asks for JSON, the one format
request/options | actions of one path told apart by \`method\` | of an action’s path describes it, told apart by method
`,
  ),
  ...rowsOf(
    'protocol / Response envelope',
    `
envelope/ok | status, response, message, errors; 200; Content-Type | that went well has its value under the output’s namespace, and no message
envelope/error | false, a message, errors by parameter | that went wrong has a message, and errors by parameter
envelope/version | \`version\` in answers to OPTIONS | to OPTIONS says the version of the protocol
`,
  ),
  ...rowsOf(
    'protocol / Layouts',
    `
layout/object | one instance | object is described, with its namespace
layout/object_list | a list of instances | object_list is described, with its namespace
layout/hash | a set of parameters | hash is described, with its namespace
layout/hash_list | a list of hashes | hash_list is described, with its namespace
association/value | identifier and label in output, identifier in input | with an association has its identifier and label
association/choices | the resource and the list of its choices | about an association names where its choices are
`,
  ),
  ...actionRows,
  ...actionEffectRows,
  ...blockingRows,
  ...rowsOf(
    'protocol / States / Maintenance lock',
    `
maintenance/set | unlocked to locked, with the reason | is set with its reason
maintenance/again | locked, another reason | is set again with another reason
maintenance/lifted | locked to unlocked | is lifted with lock false
maintenance/auth | authenticated callers alone | needs a caller who is signed in
`,
  ),
  ...signInRows,
  ...rowsOf(
    'protocol / OAuth 2.0',
    `
oauth/authorize | GET with response_type, client_id, state, redirect_uri, scope; back with code and state | sends the user from the login page back with code and state
oauth/response-type | code alone | has no response type but code
oauth/grant-types | authorization_code and refresh_token alone | has no grant types but code and refresh token
oauth/token | a form with grant_type, code, redirect_uri, client_id, client_secret | exchanges a code for tokens by a form with the client’s id and secret
oauth/pkce | S256 challenge and verifier | exchanges a code that was asked for with a challenge for its verifier alone
oauth/refresh | a refresh token gives new tokens | gives new tokens for a refresh token
oauth/bearer | Bearer (RFC 6750) | takes an access token as Bearer
oauth/header | a header of its own | takes an access token in a header of its own
oauth/revoke-access | an access token is revoked (RFC 7009) | revokes by its access token
oauth/revoke-refresh | a refresh token is revoked (RFC 7009) | revokes by its refresh token
oauth/endpoints | authorize, token and revoke, and basic as an empty object | is announced with its endpoints
`,
  ),
  ...rowsOf(
    'protocol / Errors',
    `
error/envelope | a failed call has a message and errors by parameter | that went wrong has a message, and errors by parameter
error/message-alone | no errors where no parameter is at fault | that went wrong without bad input has a message alone
message/present | \`must be present and non-empty\` | dataset#inherit refuses property blank
message/include | \`%{value} cannot be used\` | dataset#create refuses sync "always"
message/minimum | \`has to be minimally <min>\` | dataset_expansion#create refuses added_space 0
message/range | \`has to be in range <min, max>\` | dataset#migrate refuses finish_weekday 7
message/short | \`length has to be minimally <min>\` | cluster_resource_package#create refuses label "x"
message/long | \`length has to be maximally <max>\` | dns_record#create refuses comment 256 characters
message/dataset-name | \`'%{value}' is not a valid dataset name\` | dataset#create refuses name "a b"
validator/accept | equals the one value | accept takes the one value
validator/present | not blank, white space stripped | present takes what is not blank
validator/present empty | there, maybe empty | present may take what is empty
validator/confirm | two are equal, or differ | confirm takes two that are equal, or that differ
validator/include list | one of a list | include takes one of a list
validator/include map | one of a map’s keys | include takes one of a map
validator/exclude | none of a list | exclude takes none of a list
validator/format | matches | format takes what matches
validator/format match false | does not match | format may take what does not match
validator/length | bounds | length has a least and a most
validator/length equals | exact | length may be exact
validator/number min | a least value | number has a least
validator/number max | a greatest value | number has a most
validator/number step | steps from the least value | number has steps
validator/number mod | a divisor | number has a divisor
validator/number even | even | number is even
validator/number odd | odd | number is odd
validator/custom | the server’s alone | custom is left to the server
types | String, Text, Boolean, Integer, Float, Datetime, Resource, Custom | knows the types of the document
`,
  ),
  ...limitRows,
  ...rowsOf(
    'protocol / Versioning',
    `
versions/paths | \`/v<version>/\` before actions, not before tokens | are in the paths of actions, and not in those of tokens
options/root | \`OPTIONS /\` | of the root describes all versions
options/version | \`OPTIONS /v<version>/\`: authentication, resources, meta, help | of a version describes it
options/versions | \`OPTIONS /?describe=versions\` | lists the versions when asked
options/default | \`OPTIONS /?describe=default\` | describes the default version when asked
options/action | \`OPTIONS <path>?method=\` | of an action’s path describes it, told apart by method
describe/resource | description, actions, resources | describes a resource by description, actions and nested resources
describe/action | auth, description, aliases, blocking, input, output, examples, meta, path, method, help | describes an action by its keys
describe/parameter | required, label, description, type, validators, default, protected | describes a parameter by its keys
describe/example | title, path_params, request, response, status, message, errors, http_status, comment | shows examples by their keys
describe/authentication | methods, and the names for tokens | announces the methods of authentication, tokens by header and query parameter
5.0/paging | offset and limit | pages lists of 5.0 by offset
5.0/token | no scope | requests tokens of 5.0 without a scope
5.0/dataset-create | inherit_user_namespace_map (default true), user_namespace_map | creates datasets of 5.0 with a mapping, inherited unless told otherwise
5.0/dataset-show | user_namespace_map, and four fields less | shows datasets of 5.0 with their mapping, and without what came later
5.0/meta | no, count, includes, total_count | takes global metadata of 5.0: no, count and includes
`,
  ),
];
