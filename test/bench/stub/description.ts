// Describes the management API of the benches.
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
/** Describes datasets with nested snapshots, their users and environments. */
export function describeBenchApi(): Raw {
  const meta = ['count'];
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
    user: resource({ index: list('/users', 'users', USER), show: show('/users/{user_id}', 'user', USER) }),
    environment: resource({
      index: list('/environments', 'environments', ENVIRONMENT),
      show: show('/environments/{environment_id}', 'environment', ENVIRONMENT),
    }),
  });
}
