// Defines the resource of action states: list, show, poll and cancel running blocking actions.
import type { Call, Failure, Input, Parameters, ResourceDefinition, Row } from '../engine/definition.ts';
import { answerList, byDescendingId } from '../engine/lists.ts';
import { boolean, choice, datetime, float, integer, paging, string } from '../engine/parameters.ts';
import { parseId } from '../engine/path.ts';

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

/** The fields that a poll with `update_in` compares. */
const COMPARED_FIELDS = ['status', 'current', 'total'] as const;

/** Action states, described with the layout `hash`. The list is sorted newest first, but `from_id` lists higher ids. */
export const actionState: ResourceDefinition = {
  description: 'Progress of blocking actions',
  auth: false,
  output,
  actions: {
    index: {
      description: 'List unfinished actions',
      aliases: ['list'],
      offersCount: true,
      input: {
        layout: 'hash',
        parameters: {
          ...paging,
          order: choice(['newest', 'oldest'], { default: 'newest', fillsDefault: true }),
        },
      },
      output: { layout: 'hash_list' },
      execute(call) {
        const rows = call.states.listUnfinished(call.caller);
        const order = call.input.get('order') === 'oldest' ? undefined : byDescendingId;
        return answerList(call, { rows, order });
      },
    },
    poll: {
      description: 'Wait until an action is completed, its progress changes or the time is up',
      route: '/{id}/poll',
      input: {
        layout: 'hash',
        parameters: {
          timeout: float({
            label: 'Timeout',
            description: 'Timeout in seconds',
            default: 15,
            fillsDefault: true,
            validators: { number: { min: 0, max: 30 } },
          }),
          update_in: float({
            label: 'Update in',
            description: 'Return as soon as status, current or total differ from those given',
            nullable: true,
          }),
          status: boolean({ description: 'Status to compare with when update_in is set', nullable: true }),
          current: integer({ description: 'Progress to compare with when update_in is set', nullable: true }),
          total: integer({ description: 'Total to compare with when update_in is set', nullable: true }),
        },
      },
      output: { layout: 'hash' },
      async execute(call) {
        const { states, input, request } = call;
        const deadline = performance.now() + Number(input.get('timeout')) * 1000;
        let state = findState(call);
        while (state && !state['finished'] && !hasChanged(state, input)) {
          const remainingMs = Math.ceil(deadline - performance.now());
          if (remainingMs <= 0) break;
          await states.waitForChange(state.id, remainingMs, request.signal);
          state = findState(call);
        }
        return state ? { ok: true, items: [state] } : notFound;
      },
    },
    show: {
      description: 'Show how far an action is',
      route: '/{id}',
      aliases: ['find'],
      output: { layout: 'hash' },
      execute(call) {
        const state = findState(call);
        return state ? { ok: true, items: [state] } : notFound;
      },
    },
    cancel: {
      description: 'Cancel an unfinished action',
      method: 'POST',
      route: '/{id}/cancel',
      blocking: true,
      output: { layout: 'hash', parameters: {} },
      execute(call) {
        const state = findState(call);
        return state ? call.states.cancel(state, call.action.scope) : notFound;
      },
    },
  },
};

function findState({ states, caller, pathParams }: Call): Row | undefined {
  const id = parseId(pathParams[0]);
  return id === undefined ? undefined : states.find(caller, id);
}

/** Whether the state differs from the values in the input. An omitted value always counts as different. */
function hasChanged(state: Row, input: Input): boolean {
  if ((input.get('update_in') ?? null) === null) return false;
  return COMPARED_FIELDS.some((name) => !input.has(name) || input.get(name) !== state[name]);
}
