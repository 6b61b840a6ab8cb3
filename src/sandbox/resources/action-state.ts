import { pageOf } from '../actions.ts';
import type { Caller, Failure, Input, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { boolean, choice, datetime, float, integer, paging, string } from '../parameters.ts';

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

const pollInput: Parameters = {
  timeout: float({
    label: 'Timeout',
    description: 'Seconds to wait at the most',
    default: 15,
    fill: true,
    validators: { number: { min: 0, max: 30 } },
  }),
  update_in: float({
    label: 'Update in',
    description: 'Answer as soon as progress differs from the values sent',
  }),
  status: boolean({ description: 'Last seen status' }),
  current: integer({ description: 'Last seen progress' }),
  total: integer({ description: 'Last seen total' }),
};

/** A value that is not sent counts as different. */
function hasMoved(state: Row, input: Input): boolean {
  return ['status', 'current', 'total'].some((name) => !input.has(name) || input.get(name) !== state[name]);
}

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
      execute({ store, caller, pathParams, running }) {
        const state = store.row('action_states', Number(pathParams[0]));
        return state && isOf(caller, state) && running.isKept(state)
          ? { ok: true, items: [state] }
          : notFound;
      },
    },
    poll: {
      description: 'Wait until an action has ended, its progress has changed, or the time is over',
      route: '/{id}/poll',
      input: { layout: 'hash', parameters: pollInput },
      output: { layout: 'hash' },
      async execute({ store, caller, pathParams, input, running, signal }) {
        const id = Number(pathParams[0]);
        const until = Date.now() + Number(input.get('timeout')) * 1000;
        for (;;) {
          const state = store.row('action_states', id);
          if (!state || !isOf(caller, state) || !running.isKept(state)) return notFound;
          const isOver = Date.now() >= until || signal.aborted;
          if (state['finished'] || isOver || (input.has('update_in') && hasMoved(state, input)))
            return { ok: true, items: [state] };
          await running.changed(id, until - Date.now(), signal);
        }
      },
    },
    cancel: {
      description: 'Cancel an action',
      method: 'POST',
      route: '/{id}/cancel',
      blocking: true,
      output: { layout: 'hash', parameters: {} },
      execute({ store, caller, pathParams, running }) {
        const state = store.row('action_states', Number(pathParams[0]));
        if (!state || !isOf(caller, state)) return notFound;
        const refusal = running.cancel(state.id);
        return refusal === null ? { ok: true, items: [], stateId: null } : { ok: false, message: refusal };
      },
    },
  },
};
