// Follows a running action through the subscription that everybody uses, and reports its progress.
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import { type ExecutionResult, getNamedType, isLeafType, isObjectType } from 'graphql';
import type { AgentApi } from './agent-api.ts';
import { RefusedDocument } from './document.ts';

/** Follows an action. @returns Its last state, with whether it has ended. @throws RefusedDocument where there are no actions. */
export async function followAction(
  api: AgentApi,
  id: string,
  seconds: number,
  { mcpReq }: ServerContext,
): Promise<object> {
  const field = (await api.readSchema())?.getSubscriptionType()?.getFields()['actionProgress'];
  const type = field === undefined ? undefined : getNamedType(field.type);
  if (!isObjectType(type)) throw new RefusedDocument('You have no running actions to follow.');
  const values = Object.values(type.getFields()).filter((value) => isLeafType(getNamedType(value.type)));
  const query = `subscription ($id: ID!) { actionProgress(id: $id) { ${values.map(({ name }) => name).join(' ')} } }`;
  const events = await api.subscribe({ query, variables: { id } });
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, mcpReq.signal]);
  const time = pause(seconds * 1_000, null, { signal }).catch(() => null);
  let last: ExecutionResult = {};
  try {
    for (;;) {
      const event = await Promise.race([events.next(), time]);
      if (event === null)
        return { ...last, next: 'It goes on. Call follow_action again to wait for its end.' };
      if (event.done === true) return last;
      last = event.value;
      await notify(last.data?.['actionProgress'], mcpReq);
    }
  } finally {
    end.abort();
    void events.return?.();
  }
}

async function notify(state: unknown, { _meta, notify: send }: ServerContext['mcpReq']): Promise<void> {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined || typeof state !== 'object' || state === null) return;
  const { current, total } = state as { current?: unknown; total?: unknown };
  const progress = typeof current === 'number' ? current : 0;
  const params = { progressToken, progress, ...(typeof total === 'number' && { total }) };
  await send({ method: 'notifications/progress', params });
}
