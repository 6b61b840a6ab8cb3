import { pageOf } from '../actions.ts';
import type { Caller, Failure, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { boolean, choice, datetime, integer, paging, string } from '../parameters.ts';

const output: Parameters = {
  id: integer(),
  label: string(),
  finished: boolean(),
  status: boolean({ description: 'Whether the action is proceeding successfully or has failed' }),
  current: integer({ label: 'Current progress' }),
  total: integer({ description: 'The action is finished when current reaches total' }),
  unit: string({ description: 'Unit of current and total' }),
  can_cancel: boolean({ label: 'Can cancel', description: 'When true, this action can be cancelled' }),
  created_at: datetime({ label: 'Created at' }),
  updated_at: datetime({ label: 'Updated at', description: 'When the progress was last updated' }),
};

const notFound: Failure = { ok: false, message: 'Action state not found' };

/** Whose action it is: nobody sees another's, not even an administrator. */
function isOf(caller: Caller | null, state: Row): boolean {
  return caller !== null && state['user'] === caller.id;
}

/** Action states: plain hashes, newest first, and `from_id` nevertheless lists those above it. */
export const actionState: ResourceDefinition = {
  description: 'Browse states of blocking actions',
  auth: false,
  output,
  actions: {
    index: {
      description: 'List pending action states',
      aliases: ['list'],
      counts: true,
      input: {
        layout: 'hash',
        parameters: { ...paging, order: choice(['newest', 'oldest'], { default: 'newest', fill: true }) },
      },
      output: { layout: 'hash_list' },
      execute({ store, caller, input }) {
        const pending = store
          .rows('action_states')
          .filter((state) => isOf(caller, state) && !state['finished']);
        const ordered = input.get('order') === 'oldest' ? pending : pending.toReversed();
        const items = pageOf(ordered, { fromId: input.get('from_id'), limit: input.get('limit') });
        return { ok: true, items, total: pending.length };
      },
    },
    show: {
      description: 'Show the state of a pending action',
      route: '/{id}',
      aliases: ['find'],
      output: { layout: 'hash' },
      execute({ store, caller, pathParams }) {
        const state = store.row('action_states', Number(pathParams[0]));
        return state && isOf(caller, state) ? { ok: true, items: [state] } : notFound;
      },
    },
  },
};
