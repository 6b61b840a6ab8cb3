/** What the documents mark as not shown, or leave open: where, what, and the decision taken. */
export const notShown: readonly (readonly [where: string, open: string, decision: string])[] = [
  ['protocol / States', 'transitions of VPSes and users', 'seeded as data; nothing moves them'],
  ['protocol / States', 'states of a dataset expansion', 'a plain string; made as `active`'],
  [
    'protocol / OAuth 2.0',
    'the name of its header',
    'the sandbox names one, clients read it from the description',
  ],
  [
    'protocol / OAuth 2.0',
    'the list of scopes',
    'the scopes of actions, with `*` for any action of a resource; `all` is every one',
  ],
  [
    'protocol / Permissions',
    'which role may call what',
    'users read and write what is their own; what steers the cluster is for administrators (403)',
  ],
  [
    'reference / Dataset',
    'what `migrate` does of rsync, restart_vps, send_mail, reason, maintenance_window_vps and optional_maintenance_window',
    'they are checked and change nothing: no field of any resource could show it',
  ],
  [
    'reference / API server',
    'what an unlocked key changes',
    'it is noted, and no field of any resource could show it',
  ],
  ['protocol / Events', 'no mechanism', 'subscriptions poll action states, shared by caller and action'],
  [
    'protocol / Errors',
    'HTTP status codes',
    'those of the reference server: 200 for refused input, 400, 401, 403, 404, 409, 415, 423, 500',
  ],
  [
    'protocol / Errors',
    'codes beyond the message',
    'none in the API; GraphQL errors carry `extensions.code`',
  ],
  [
    'protocol / Errors',
    'the message for an absent required parameter',
    '`required parameter is missing`, as on the wire; the described text is for blank ones',
  ],
  [
    'protocol / Limits',
    'maximum page size',
    'limit is at most 1000, as on the reference server: `has to be in range <0, 1000>`',
  ],
  ['protocol / Limits', 'rate limits', 'none in the sandbox; the facade bounds attempts to sign in'],
  [
    'protocol / Versioning',
    '`value` of an association with no value',
    'null, as in every description seen of the reference server and of a production one',
  ],
  [
    'reference / Resources',
    'resources that appear only as associations',
    'as far as a production description lists them: user, environment, location, node, pool, vps, mount, export, dns_zone',
  ],
  [
    'reference / Conventions',
    'metadata of 7.0',
    'the same as of 5.0: no, count, includes; path_params, resolved',
  ],
  ['reference / Conventions', 'how GET carries input', 'in the query, in brackets under the namespace'],
  [
    'reference / Conventions',
    'resources after DNS records, 5.0 after dataset create',
    '7.0’s are offered in both',
  ],
  ['reference / Cluster resource', 'fields of create', 'none: the payload has no object'],
  [
    'reference / DNS record',
    'inputs of update beyond user',
    'content, ttl, priority, comment, enabled, dynamic_update_enabled',
  ],
];
