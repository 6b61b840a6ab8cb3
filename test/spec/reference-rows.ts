import { boundRows } from './bounds.ts';
import { defaultRows } from './defaults.ts';
import { referenceEffectRows } from './effects.ts';
import { endpointRow } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { fieldRows } from './fields.ts';
import { filterRows } from './filters.ts';
import { listRows } from './lists.ts';
import { referenceActionRows, referenceTokenRows } from './reference-states.ts';
import { type Row, rowsOf } from './row.ts';
import { scenarioRows } from './scenarios.ts';

/** The rows of the resource reference. */
export const referenceRows: readonly Row[] = [
  ...fieldRows,
  ...rowsOf(
    'reference / Conventions',
    `
aliases | list, find, new, destroy | names the aliases of actions
paging | from_id and limit on lists | go on after an id, and are as long as they are asked to be
paging 5.0 | offset and limit | pages lists of 5.0 by offset
meta/object 5.0 | path_params and resolved with each object | tells with each object of 5.0 its path parameters and whether it is whole
meta/global 5.0 | no, count (with total_count), includes | takes global metadata of 5.0: no, count and includes
action_state#index order others | newest and oldest alone | refuse an order that is no choice
dataset#index role others | hypervisor, primary, backup alone | refuse a role that is no choice
get-input | input of GET in the query | with no body has its input in the query, in brackets
`,
  ),
  ...listRows,
  ...scenarioRows,
  ...referenceEffectRows,
  ...referenceTokenRows,
  ...referenceActionRows,
  ...Object.entries(endpoints).flatMap(([section, all]) =>
    all.map((endpoint) => endpointRow(`reference / ${section}`, endpoint)),
  ),
  ...rowsOf(
    'reference / Cluster',
    `
cluster#public_stats layout | object | of the public statistics is an object
cluster#search value blank | “must be present and non-empty” | that went wrong has a message, and errors by parameter
`,
  ),
  ...rowsOf(
    'reference / API server',
    `
api_server#unlock_transaction_signing_key wrong | a wrong passphrase is refused | refuses a wrong passphrase
`,
  ),
  ...rowsOf(
    'reference / Debug',
    `
debug#list_object_counts | \`GET /v7.0/debugs/list_object_counts\`: object and count | lists the counts of objects that the server holds
debug#array_top limit | the largest ones, ten unless told otherwise | tells at most ten of the largest arrays and hashes
`,
  ),
  ...rowsOf(
    'reference / DNS record',
    `
dns_record#dynamic_update | \`GET /v7.0/dns_records/dynamic_update/{access_token}\`; anonymous callers too; blocking | sets a record to the address of the caller, who needs no credential
dns_record#dynamic_update content | answers content | sets a record to the address of the caller, who needs no credential
`,
  ),
  ...boundRows,
  ...filterRows,
  ...defaultRows,
  ...rowsOf(
    'reference / Snippet service',
    `
snippet/create | \`POST /api/paste/\`: title, file_name, language, content, accessibility, expiration; the URL | is created with all that is said of it, and has a URL
snippet/languages | \`GET /api/languages/\` | lists its languages
snippet/detect | \`POST /api/detect-language/\`: file_name, text | detects a language by file name or text
snippet/detect nothing | at least one of them | detects no language from nothing
snippet/format | plain unless JSON | answers plain text unless JSON is asked for
snippet/api_key | needed where anonymous access is disabled | wants a key where anonymous access is disabled
snippet/content | the one required parameter | needs content alone, and is plain text
snippet/language default | plain text | needs content alone, and is plain text
snippet/accessibility default | 1 | is unlisted when nobody says
snippet/accessibility 0 | public | that is PUBLIC is read by whom it should
snippet/accessibility 1 | unlisted | that is UNLISTED is read by whom it should
snippet/accessibility 2 | logged users only | that is LOGGED_USERS is read by whom it should
snippet/accessibility 3 | private | that is PRIVATE is read by whom it should
snippet/expiration | a timestamp | expires when it is told to
snippet/expiration default | half an hour | expires after half an hour when nobody says
snippet/language values | each of the list, and autodetect | has a language of the list, whichever it is
snippet/language others | none beyond the list | has no language beyond the list
`,
  ),
];
