// Watches an action that is running already, to see whether the API reports its progress.
import { isRecord } from '../../../config/given-settings.ts';
import type { ServedSchema } from '../../../schema/registry.ts';
import { rowTypeOf } from '../../../schema/row-type.ts';
import { allActions } from '../../../upstream/description/select-actions.ts';
import type { OpenApi } from '../open-api.ts';
import type { CheckResult } from './check-result.ts';

/** Probes running actions. Nothing is started, so without a running action nothing is watched. */
export async function probeActions(api: OpenApi): Promise<CheckResult> {
  const { schema, description } = api.served;
  if (schema.getSubscriptionType()?.getFields()['actionProgress'] === undefined)
    return allActions(description.resources).some(({ blocking }) => blocking)
      ? result('finding', 'the API describes actions that run in the background, and no way to watch them')
      : result('ok', 'none are described');
  const id = await findRunning(api);
  if (id === null) return result('ok', 'can be watched; none is running, so it was not tried');
  const query = 'subscription ($id: ID!) { actionProgress(id: $id) { outcome } }';
  const events = api.subscribe({ query, variables: { id } });
  const { value } = await events.next();
  await events.return?.();
  const [error] = value?.errors ?? [];
  return error === undefined
    ? result('ok', 'can be watched; one that is running was')
    : result('finding', `an action that is running cannot be watched: ${error.message}`);
}

const result = (kind: CheckResult['result'], detail: string): CheckResult => ({
  check: 'running actions',
  result: kind,
  detail,
});

/** The id of an unfinished action; null for none. */
async function findRunning({ served, ask }: OpenApi): Promise<string | null> {
  const list = listOfStates(served);
  if (list === null) return null;
  const { data } = await ask({ query: `{ ${list}(first: 1) { nodes { id finished } } }` });
  const connection: unknown = data?.[list];
  const nodes: unknown = isRecord(connection) ? connection['nodes'] : null;
  const [state]: unknown[] = Array.isArray(nodes) ? nodes : [];
  return isRecord(state) && state['finished'] === false ? String(state['id']) : null;
}

/** The list of unfinished actions; null where the API has none. */
function listOfStates({ schema }: ServedSchema): string | null {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  return fields.find((field) => rowTypeOf(field)?.name === 'ActionState')?.name ?? null;
}
