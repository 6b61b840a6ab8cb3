// Compares the description of version 7.0 with the tables of the resource reference.
import { describe, expect, test } from 'vitest';
import { admin, type Json, post, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

/** The fields of each resource (specification: Resources and their fields). */
const fields = parseTable(`
action_state | id:Integer label:String finished:Boolean status:Boolean current:Integer total:Integer unit:String can_cancel:Boolean created_at:Datetime updated_at:Datetime
cluster | maintenance_lock:Boolean maintenance_lock_reason:String
cluster_resource | id:Integer name:String label:String min:Integer max:Integer stepsize:Integer
cluster_resource_package | id:Integer label:String environment:Resource user:Resource created_at:Datetime updated_at:Datetime
cluster_resource_package.item | id:Integer cluster_resource:Resource value:Integer
component | id:Integer name:String label:String description:Text
dataset | id:Integer name:String parent:Resource user:Resource environment:Resource current_history_id:Integer atime:Boolean compression:Boolean recordsize:Integer quota:Integer refquota:Integer relatime:Boolean sync:String sharenfs:String used:Integer referenced:Integer avail:Integer compressratio:Float refcompressratio:Float vps:Resource export:Resource dataset_expansion:Resource
dataset.plan | id:Integer environment_dataset_plan:Resource
dataset.property_history | id:Integer name:String value:Integer created_at:Datetime
dataset.snapshot | id:Integer dataset:Resource name:String label:String created_at:Datetime history_id:Integer mount:Resource export:Resource
dataset_expansion | id:Integer vps:Resource dataset:Resource state:String original_refquota:Integer added_space:Integer enable_notifications:Boolean enable_shrink:Boolean stop_vps:Boolean over_refquota_seconds:Integer max_over_refquota_seconds:Integer created_at:Datetime
dataset_expansion.history | id:Integer added_space:Integer original_refquota:Integer new_refquota:Integer created_at:Datetime admin:Resource
dataset_plan | id:Integer label:String description:String
default_object_cluster_resource | id:Integer environment:Resource cluster_resource:Resource class_name:String value:Integer
dns_record | id:Integer dns_zone:Resource user:Resource name:String type:String content:String ttl:Integer priority:Integer comment:Text enabled:Boolean dynamic_update_enabled:Boolean managed:Boolean dynamic_update_url:String created_at:Datetime updated_at:Datetime
`);

const properties =
  'atime:Boolean=false compression:Boolean=true recordsize:Integer=131072 quota:Integer=0 refquota:Integer=0 relatime:Boolean=false sync:String=standard sharenfs:String';
const expansion =
  'enable_notifications:Boolean enable_shrink:Boolean stop_vps:Boolean max_over_refquota_seconds:Integer';

/** Every endpoint (specification: Endpoints): scope, method and path below /v7.0, auth and blocking, input, output. */
const endpoints = parseTable(`
action_state#index | GET /action_states | | order:String=newest | its own
action_state#show | GET /action_states/{action_state_id} | | | its own
action_state#poll | GET /action_states/{action_state_id}/poll | | timeout:Float=15 update_in:Float status:Boolean current:Integer total:Integer | its own
action_state#cancel | POST /action_states/{action_state_id}/cancel | blocking | |
cluster#show | GET /cluster | auth | | its own
cluster#full_stats | GET /cluster/full_stats | auth | | nodes_online:Integer node_count:Integer vps_running:Integer vps_stopped:Integer vps_suspended:Integer vps_deleted:Integer vps_count:Integer user_active:Integer user_suspended:Integer user_deleted:Integer user_count:Integer ipv4_used:Integer ipv4_count:Integer
cluster#public_stats | GET /cluster/public_stats | | | user_count:Integer vps_count:Integer ipv4_left:Integer
cluster#search | POST /cluster/search | auth | value:String! | resource:String id:Integer attribute:String value:String
cluster#set_maintenance | POST /cluster/set_maintenance | auth | lock:Boolean! reason:String |
cluster#generate_migration_keys | POST /cluster/generate_migration_keys | auth blocking | |
api_server#unlock_transaction_signing_key | GET /api_servers/unlock_transaction_signing_key | auth | passphrase:String! |
cluster_resource#create | POST /cluster_resources | auth | name:String label:String min:Integer max:Integer stepsize:Integer |
cluster_resource#index | GET /cluster_resources | auth | | its own
cluster_resource#show | GET /cluster_resources/{cluster_resource_id} | auth | | its own
cluster_resource#update | PUT /cluster_resources/{cluster_resource_id} | auth | name:String label:String min:Integer max:Integer stepsize:Integer | its own
cluster_resource_package#create | POST /cluster_resource_packages | auth | label:String! | its own
cluster_resource_package#index | GET /cluster_resource_packages | auth | environment:Resource user:Resource | its own
cluster_resource_package#show | GET /cluster_resource_packages/{cluster_resource_package_id} | auth | | its own
cluster_resource_package#update | PUT /cluster_resource_packages/{cluster_resource_package_id} | auth | label:String! | its own
cluster_resource_package#delete | DELETE /cluster_resource_packages/{cluster_resource_package_id} | auth | |
cluster_resource_package.item#create | POST /cluster_resource_packages/{cluster_resource_package_id}/items | auth | cluster_resource:Resource value:Integer | its own
cluster_resource_package.item#index | GET /cluster_resource_packages/{cluster_resource_package_id}/items | auth | | its own
cluster_resource_package.item#show | GET /cluster_resource_packages/{cluster_resource_package_id}/items/{item_id} | auth | | its own
cluster_resource_package.item#update | PUT /cluster_resource_packages/{cluster_resource_package_id}/items/{item_id} | auth | value:Integer | its own
cluster_resource_package.item#delete | DELETE /cluster_resource_packages/{cluster_resource_package_id}/items/{item_id} | auth | |
component#index | GET /components | | | its own
component#show | GET /components/{component_id} | | | its own
dataset#create | POST /datasets | auth blocking | name:String! dataset:Resource automount:Boolean=false ${properties} | its own
dataset#delete | DELETE /datasets/{dataset_id} | auth blocking | |
dataset#find_by_name | GET /datasets/find_by_name | auth | name:String user:Resource | its own
dataset#index | GET /datasets | auth | user:Resource vps:Resource dataset:Resource primary_pool:Resource role:String to_depth:Integer | its own
dataset#inherit | POST /datasets/{dataset_id}/inherit | auth blocking | property:String! |
dataset#migrate | POST /datasets/{dataset_id}/migrate | auth blocking | pool:Resource! maintenance_window_vps:Resource rsync:Boolean=false restart_vps:Boolean=false finish_weekday:Integer finish_minutes:Integer optional_maintenance_window:Boolean=true cleanup_data:Boolean=true send_mail:Boolean=true reason:String |
dataset#show | GET /datasets/{dataset_id} | auth | | its own
dataset#update | PUT /datasets/{dataset_id} | auth blocking | ${properties} admin_override:Boolean admin_lock_type:String |
dataset.plan#create | POST /datasets/{dataset_id}/plans | auth | environment_dataset_plan:Resource! | its own
dataset.plan#index | GET /datasets/{dataset_id}/plans | auth | | its own
dataset.plan#show | GET /datasets/{dataset_id}/plans/{plan_id} | auth | | its own
dataset.plan#delete | DELETE /datasets/{dataset_id}/plans/{plan_id} | auth | |
dataset.property_history#index | GET /datasets/{dataset_id}/property_history | auth | from:Datetime to:Datetime name:String | its own
dataset.property_history#show | GET /datasets/{dataset_id}/property_history/{property_history_id} | auth | | its own
dataset.snapshot#create | POST /datasets/{dataset_id}/snapshots | auth blocking | label:String | its own
dataset.snapshot#index | GET /datasets/{dataset_id}/snapshots | auth | | its own
dataset.snapshot#show | GET /datasets/{dataset_id}/snapshots/{snapshot_id} | auth | | its own
dataset.snapshot#delete | DELETE /datasets/{dataset_id}/snapshots/{snapshot_id} | auth blocking | |
dataset.snapshot#rollback | POST /datasets/{dataset_id}/snapshots/{snapshot_id}/rollback | auth blocking | |
dataset_expansion#create | POST /dataset_expansions | auth blocking | dataset:Resource added_space:Integer ${expansion} | its own
dataset_expansion#index | GET /dataset_expansions | auth | | its own
dataset_expansion#register_expanded | POST /dataset_expansions/register_expanded | auth | dataset:Resource original_refquota:Integer ${expansion} | its own
dataset_expansion#show | GET /dataset_expansions/{dataset_expansion_id} | auth | | its own
dataset_expansion#update | PUT /dataset_expansions/{dataset_expansion_id} | auth | ${expansion} | its own
dataset_expansion.history#create | POST /dataset_expansions/{dataset_expansion_id}/history | auth blocking | added_space:Integer | its own
dataset_expansion.history#index | GET /dataset_expansions/{dataset_expansion_id}/history | auth | | its own
dataset_expansion.history#show | GET /dataset_expansions/{dataset_expansion_id}/history/{history_id} | auth | | its own
dataset_plan#index | GET /dataset_plans | auth | | its own
dataset_plan#show | GET /dataset_plans/{dataset_plan_id} | auth | | its own
debug#array_top | GET /debugs/array_top | auth | limit:Integer=10 | size:Integer sample:Custom
debug#hash_top | GET /debugs/hash_top | auth | limit:Integer=10 | size:Integer sample:Custom
debug#list_object_counts | GET /debugs/list_object_counts | auth | | object:String count:Integer
default_object_cluster_resource#create | POST /default_object_cluster_resources | auth | environment:Resource! cluster_resource:Resource! class_name:String! value:Integer! | its own
default_object_cluster_resource#index | GET /default_object_cluster_resources | auth | environment:Resource cluster_resource:Resource class_name:String | its own
default_object_cluster_resource#show | GET /default_object_cluster_resources/{default_object_cluster_resource_id} | auth | | its own
default_object_cluster_resource#update | PUT /default_object_cluster_resources/{default_object_cluster_resource_id} | auth | value:Integer! | its own
default_object_cluster_resource#delete | DELETE /default_object_cluster_resources/{default_object_cluster_resource_id} | auth | |
dns_record#create | POST /dns_records | auth blocking | dns_zone:Resource! user:Resource name:String type:String! content:String! ttl:Integer priority:Integer comment:Text enabled:Boolean=true dynamic_update_enabled:Boolean=false | its own
dns_record#index | GET /dns_records | auth | dns_zone:Resource user:Resource | its own
dns_record#show | GET /dns_records/{dns_record_id} | auth | | its own
dns_record#update | PUT /dns_records/{dns_record_id} | auth blocking | user:Resource content:String ttl:Integer priority:Integer comment:Text enabled:Boolean=true dynamic_update_enabled:Boolean=false | its own
dns_record#delete | DELETE /dns_records/{dns_record_id} | auth blocking | |
dns_record#dynamic_update | GET /dns_records/dynamic_update/{access_token} | blocking | | content:String
`);

const aliases: Readonly<Record<string, string>> = {
  index: 'list',
  show: 'find',
  create: 'new',
  delete: 'destroy',
};

const choice = (...values: readonly string[]) => ({
  include: { values, message: '%{value} cannot be used' },
});
const number = (message: string, bounds: { min?: number; max?: number }) => ({
  number: { message, ...bounds },
});
const present = { present: { empty: false, message: 'must be present and non-empty' } };
const least = (min: number) => number(`has to be minimally ${min}`, { min });
const comment = { length: { message: 'length has to be maximally 255', max: 255 } };

/** The validators except `present` (specification: Limits, and the notes at each action). */
const limits: Readonly<Record<string, unknown>> = {
  'action_state#index order': choice('newest', 'oldest'),
  // The specification names only the default. The upper bound is that of the reference server.
  'action_state#poll timeout': number('has to be in range <0, 30>', { min: 0, max: 30 }),
  'cluster_resource_package#create label': {
    length: { message: 'length has to be minimally 2', min: 2 },
    ...present,
  },
  'dataset#create name': {
    format: {
      rx: '\\A[a-zA-Z0-9][a-zA-Z0-9_\\-:./]{0,254}\\z',
      match: true,
      description: null,
      message: "'%{value}' is not a valid dataset name",
    },
    ...present,
  },
  'dataset#create sync': choice('standard', 'disabled'),
  'dataset#update sync': choice('standard', 'disabled'),
  'dataset#update admin_lock_type': choice('no_lock', 'absolute', 'not_less', 'not_more'),
  'dataset#index role': choice('hypervisor', 'primary', 'backup'),
  'dataset#migrate finish_weekday': number('has to be in range <0, 6>', { min: 0, max: 6 }),
  'dataset#migrate finish_minutes': number('has to be in range <0, 1410>', { min: 0, max: 1410 }),
  'dataset_expansion#create added_space': least(1),
  'dataset_expansion#register_expanded original_refquota': least(1),
  'dataset_expansion.history#create added_space': least(1),
  'dns_record#create type': {
    ...choice('A', 'AAAA', 'CNAME', 'DS', 'MX', 'NS', 'PTR', 'SRV', 'TXT'),
    ...present,
  },
  'dns_record#create comment': comment,
  'dns_record#update comment': comment,
  'cluster_resource_package#update label': {
    length: { message: 'length has to be minimally 2', min: 2 },
    ...present,
  },
};

describe('version 7.0 describes the contents of the resource reference', async () => {
  const described = await describedActions();
  const own = new Map(fields.map(([resource, output = '']) => [resource, output]));

  test.each(endpoints)('%s', (scope = '', request = '', flags, input = '', output = '') => {
    const action = described.get(scope);
    const [resource = '', name = ''] = scope.split('#');
    expect(`${action?.['method']} ${action?.['path']}`).toBe(request.replace(' ', ' /v7.0'));
    const actual = [
      ...((action?.['auth'] as unknown) ? ['auth'] : []),
      ...((action?.['blocking'] as unknown) ? ['blocking'] : []),
    ];
    expect(actual.join(' ')).toBe(flags);
    expect(action?.['aliases']).toEqual(aliases[name] === undefined ? [] : [aliases[name]]);
    const paging = `from_id:Integer limit:Integer${resource === 'dataset.property_history' ? '=25' : ''}`;
    const inputs = name === 'index' ? `${paging} ${input}`.trim() : input;
    expect(formatParameters(action?.['input'])).toEqual(inputs.split(' '));
    const outputs = output === 'its own' ? (own.get(resource) ?? '') : output;
    // The description also gives the default and `required` of outputs, which the tables do not list.
    expect(formatParameters(action?.['output']).map((field) => field.replace(/!|=.*/, ''))).toEqual(
      outputs.split(' '),
    );
  });

  test('without further actions', () => {
    const listed = new Set(endpoints.map(([scope]) => scope));
    const resources = new Set(fields.map(([resource]) => resource));
    const more = [...described.keys()].filter(
      (scope) => resources.has(scope.split('#')[0] ?? '') && !listed.has(scope),
    );
    expect(more).toEqual([]);
  });

  test('with the documented limits and messages', () => {
    const found: Record<string, unknown> = {};
    for (const [scope] of endpoints) {
      const inputs = (described.get(scope ?? '')?.['input']?.['parameters'] ?? {}) as Json;
      for (const [name, { validators, type }] of Object.entries(inputs)) {
        if (String(type) === 'Resource' || Object.keys(validators ?? {}).length === 0) continue;
        if (name === 'from_id') expect(validators).toEqual(least(0));
        else if (name === 'limit')
          expect(validators).toEqual(number('has to be in range <0, 1000>', { min: 0, max: 1000 }));
        else if (Object.keys(validators ?? {}).join() === 'present') expect(validators).toEqual(present);
        else found[`${scope} ${name}`] = validators;
      }
    }
    expect(found).toEqual(limits);
  });
});

describe('examples in the description', async () => {
  const shown = [...(await describedActions())].flatMap(([scope, action]) =>
    (action['examples'] as unknown as readonly Json[]).map((example) => ({ scope, action, example })),
  );

  test.each(shown)('of $scope match the real response', async ({ action, example }) => {
    await using sandbox = await listenSandbox();
    const { path_params, request, response, status, message, errors, http_status } = example;
    const [id] = (path_params ?? []) as unknown as readonly number[];
    const path = String(action['path']).replace(/\{\w+\}/, String(id));
    const namespace = String(action['input']?.['namespace']);
    const query = Object.entries(request ?? {}).map(([name, value]) => `${namespace}[${name}]=${value}`);
    const reply =
      String(action['method']) === 'GET'
        ? await send(sandbox, `${path}?${query.join('&')}`)
        : await post(sandbox, path, admin(sandbox), { [namespace]: request });
    expect(reply.status).toBe(http_status);
    expect(reply.envelope).toMatchObject({ status, message, errors });
    const answer = reply.envelope['response']?.[String(action['output']?.['namespace'])] ?? null;
    if (response === null) expect(answer).toBeNull();
    else expect(answer).toMatchObject(response ?? {});
  });

  test('have the keys of the specification', () => {
    expect(shown.length).toBeGreaterThan(3);
    const keys = ['title', 'comment', 'path_params', 'request', 'response', 'status', 'message', 'errors'];
    for (const { example } of shown) expect(Object.keys(example)).toEqual([...keys, 'http_status']);
  });
});

/** Splits a table into rows and cells. Bars separate the cells. */
function parseTable(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** Formats parameters, for example `value:String!` for a required one and `limit:Integer=25` for one with a default. */
function formatParameters(layout: Json | undefined): readonly string[] {
  const all = Object.entries((layout?.['parameters'] ?? {}) as Json);
  const input = all.map(([name, parameter]) => {
    const { type, required, default: value } = parameter as unknown as Record<string, unknown>;
    return `${name}:${type}${required ? '!' : ''}${(value ?? null) === null ? '' : `=${value}`}`;
  });
  return input.length > 0 ? input : [''];
}

/** Returns the actions that an administrator sees, by scope. */
async function describedActions(): Promise<ReadonlyMap<string, Json>> {
  await using sandbox = await listenSandbox();
  const { envelope } = await send(sandbox, '/v7.0/', admin(sandbox), { method: 'OPTIONS' });
  const all = new Map<string, Json>();
  const visit = (resources: Json): void => {
    for (const { actions, resources: nested } of Object.values(resources)) {
      for (const action of Object.values(actions as Json)) all.set(String(action['scope']), action);
      visit(nested as Json);
    }
  };
  visit(envelope['response']?.['resources'] as Json);
  return all;
}
