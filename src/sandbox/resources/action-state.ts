import { pageOf } from '../actions.ts';
import type { Caller, Failure, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { boolean, choice, datetime, integer, paging, string } from '../parameters.ts';

const output: Parameters = {
  id: integer(),
  label: string(),
  finished: boolean(),
  status: boolean({ description: 'Proceeding (true) or failing' }),
  current: integer({ label: 'Current progress' }),
  total: integer({ description: 'Finished when current equals total' }),
  unit: string({ description: 'Unit of current and total' }),
  can_cancel: boolean({ label: 'Can cancel', description: 'The action may be cancelled' }),
  created_at: datetime({ label: 'Created at' }),
  updated_at: datetime({ label: 'Updated at', description: 'Time of the last progress update' }),
};

const notFound: Failure = { ok: false, message: 'Action state not found' };

/** Whose action it is: nobody sees another's, not even an administrator. */
function isOf(caller: Caller | null, state: Row): boolean {
  return caller !== null && state['user'] === caller.id;
}

/** Action states: plain hashes, newest first, and `from_id` nevertheless lists those above it. */
export const actionState: ResourceDefinition = {
  description: 'Progress of blocking actions',
  auth: false,
  output,
  actions: {
    index: {
      description: 'List unfinished actions',
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
      description: 'Show how far an action is',
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
