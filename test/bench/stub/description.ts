// Describes the management API of the benches, with or without `includes`.
import { action, describeApi, type Raw, refersTo, resource } from '../../helpers/describe-api.ts';

/** The header that carries a client's token. `describeApi` names it. */
export const TOKEN_HEADER = 'x-library-token';

const PAGING = { limit: 'Integer', from_id: 'Integer' } as const;
const USER = { id: 'Integer', login: 'String', full_name: 'String', level: 'Integer' } as const;
const ENVIRONMENT = { id: 'Integer', label: 'String', domain: 'String' } as const;
const SNAPSHOT = { id: 'Integer', name: 'String', created_at: 'Datetime' } as const;
const DATASET = {
  id: 'Integer',
  name: 'String',
  used: 'Integer',
  quota: 'Integer',
  compression: 'Boolean',
  created_at: 'Datetime',
  user: refersTo(['user'], 'login'),
  environment: refersTo(['environment'], 'label'),
  parent: refersTo(['dataset'], 'name'),
} as const;
const ACTION_STATE = {
  id: 'Integer',
  label: 'String',
  status: 'Boolean',
  current: 'Integer',
  total: 'Integer',
  finished: 'Boolean',
} as const;
const STATE_OF_READER = { status: 'Boolean', current: 'Integer', total: 'Integer' } as const;

/** Describes datasets with nested snapshots, their users and environments, and running actions. */
export function describeBenchApi(offersIncludes: boolean): Raw {
  const meta = offersIncludes ? ['count', 'includes'] : ['count'];
  const list = (path: string, namespace: string, output: Parameters<typeof action>[0]['output']) =>
    action({ path, namespace, layout: 'object_list', input: PAGING, meta, ...(output && { output }) });
  const show = (path: string, namespace: string, output: Parameters<typeof action>[0]['output']) =>
    action({ path, namespace, meta, ...(output && { output }) });
  return describeApi({
    dataset: resource(
      {
        index: list('/datasets', 'datasets', DATASET),
        show: show('/datasets/{dataset_id}', 'dataset', DATASET),
      },
      {
        snapshot: resource({
          index: list('/datasets/{dataset_id}/snapshots', 'snapshots', SNAPSHOT),
          show: show('/datasets/{dataset_id}/snapshots/{snapshot_id}', 'snapshot', SNAPSHOT),
        }),
      },
    ),
    user: resource({
      index: list('/users', 'users', USER),
      show: show('/users/{user_id}', 'user', USER),
    }),
    environment: resource({
      index: list('/environments', 'environments', ENVIRONMENT),
      show: show('/environments/{environment_id}', 'environment', ENVIRONMENT),
    }),
    action_state: resource({
      index: list('/action_states', 'action_states', ACTION_STATE),
      show: show('/action_states/{action_state_id}', 'action_state', ACTION_STATE),
      poll: action({
        path: '/action_states/{action_state_id}/poll',
        namespace: 'action_state',
        input: { timeout: 'Float', update_in: 'Float', ...STATE_OF_READER },
        output: ACTION_STATE,
      }),
    }),
  });
}
