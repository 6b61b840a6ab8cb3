// Describes the API of a workshop with writes and running actions, and opens a facade over it.
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { action, describeApi, refersTo, resource } from './describe-api.ts';
import { type DescribedApi, openApi } from './described.ts';
import { ACTION_STATE, createRunningActions, type RunningActions } from './running-actions.ts';
import { type Handler, ok } from './stub-upstream.ts';

const TOOL = { id: 'Integer', name: 'String', weight: 'Integer', owner: refersTo(['smith']) } as const;
const ORDER = { id: 'Integer', goods: 'String' } as const;
const one = { namespace: 'tool' } as const;
const INPUT = {
  name: {
    type: 'String',
    required: true,
    nullable: false,
    validators: { length: { min: 2, message: 'length must be at least 2' } },
  },
  weight: {
    type: 'Integer',
    nullable: true,
    default: 7,
    validators: { number: { min: 1, message: 'must be at least 1' } },
  },
  owner: refersTo(['smith'], 'name', { nullable: true }),
} as const;

/**
 * A workshop: tools that can be created, updated, sharpened (a blocking action) and deleted, their parts, orders, which have
 * no `show`, and jobs with steps, whose ids are those of action states.
 */
export const WORKSHOP = describeApi({
  smith: resource({
    show: action({
      path: '/smiths/{smith_id}',
      namespace: 'smith',
      output: { id: 'Integer', name: 'String' },
    }),
  }),
  tool: resource(
    {
      show: action({ path: '/tools/{tool_id}', ...one, output: TOOL }),
      create: action({ path: '/tools', method: 'POST', ...one, input: INPUT, output: TOOL, blocking: true }),
      update: action({
        path: '/tools/{tool_id}',
        method: 'PUT',
        ...one,
        input: { ...INPUT, name: { ...INPUT.name, required: false } },
      }),
      delete: action({ path: '/tools/{tool_id}', method: 'DELETE', ...one, blocking: true }),
      sharpen: action({ path: '/tools/{tool_id}/sharpen', method: 'POST', ...one, blocking: true }),
      touch: action({ path: '/tools/{tool_id}/touch', ...one }),
      stamp: action({
        path: '/tools/{tool_id}/stamp',
        method: 'POST',
        ...one,
        output: { ...TOOL, secret: 'String' },
      }),
      weigh: action({
        path: '/tools/{tool_id}/weigh',
        method: 'POST',
        ...one,
        layout: 'hash',
        output: { grams: 'Integer' },
      }),
      forge: action({
        path: '/tools/{tool_id}/forge',
        method: 'POST',
        ...one,
        layout: 'hash',
        output: { degrees: 'Integer' },
        blocking: true,
      }),
    },
    {
      part: resource({
        show: action({
          path: '/tools/{tool_id}/parts/{part_id}',
          namespace: 'part',
          output: { id: 'Integer', name: 'String' },
        }),
        create: action({
          path: '/tools/{tool_id}/parts',
          method: 'POST',
          namespace: 'part',
          input: { name: 'String' },
          output: { id: 'Integer', name: 'String' },
        }),
        polish: action({
          path: '/tools/{tool_id}/parts/{part_id}/polish',
          method: 'POST',
          namespace: 'part',
        }),
        polish_all: action({
          path: '/tools/{tool_id}/parts/polish_all',
          method: 'POST',
          namespace: 'parts',
          layout: 'object_list',
          output: { id: 'Integer', name: 'String' },
          blocking: true,
        }),
      }),
    },
  ),
  job: resource({
    show: action({ path: '/jobs/{job_id}', namespace: 'job', output: { id: 'Integer', label: 'String' } }),
  }),
  step: resource({
    index: action({
      path: '/steps',
      namespace: 'step',
      outputNamespace: 'steps',
      layout: 'object_list',
      input: { job: refersTo(['job'], 'label'), failed: 'Boolean', limit: 'Integer' },
      output: {
        id: 'Integer',
        job: refersTo(['job'], 'label'),
        failed: 'Boolean',
        note: 'String',
        secret: { type: 'String', protected: true, validators: {} },
      },
    }),
  }),
  order: resource({
    index: action({
      path: '/orders',
      namespace: 'order',
      outputNamespace: 'orders',
      layout: 'object_list',
      output: ORDER,
    }),
    create: action({
      path: '/orders',
      method: 'POST',
      namespace: 'order',
      input: { goods: 'String' },
      output: ORDER,
      blocking: true,
    }),
  }),
  action_state: ACTION_STATE,
});

const owner = { id: 3, name: 'Jan', _meta: { path_params: [3], resolved: false } };
const tool = (id: number, weight = 7) => ({ id, name: `tool ${id}`, weight, owner });
const startAction = (id: number, response: object = {}) =>
  ok({ ...response, _meta: { action_state_id: id } });

/** A workshop and a facade over it. */
export type Workshop = DescribedApi & { readonly actions: RunningActions };

/** Creates the answers of a workshop, without those about running actions. Writes start the action 500. */
export function createWorkshopAnswers(): Readonly<Record<string, Handler>> {
  let weight = 7;
  return {
    'smith#show': () => ok({ smith: { id: 3, name: 'Jan' } }),
    'tool#show': ({ path: [id] }) => ok({ tool: tool(Number(id), weight) }),
    'tool#create': () => startAction(500, { tool: tool(1, weight) }),
    'tool#update': () => ok({}),
    'tool#delete': () => startAction(500),
    'tool#sharpen': () => {
      weight = 6;
      return startAction(500);
    },
    'tool#touch': () => ok({}),
    'tool#stamp': ({ path: [id] }) => ok({ tool: { ...tool(Number(id)), secret: 'shown once' } }),
    'tool#weigh': () => ok({ tool: { grams: 700 } }),
    'tool#forge': () => startAction(500, { tool: { degrees: 900 } }),
    'tool.part#polish_all': () => startAction(500, { parts: [8, 9].map((id) => ({ id, name: 'polished' })) }),
    'job#show': ({ path: [id] }) => ok({ job: { id: Number(id), label: 'Sharpen' } }),
    'order#create': () => startAction(500, { order: { id: 4, goods: 'nails' } }),
    'tool.part#create': () => ok({ part: { id: 9, name: 'handle' } }),
    'tool.part#polish': () => ok({}),
    'tool.part#show': ({ path: [, id] }) => ok({ part: { id: Number(id), name: 'handle' } }),
  };
}

/** Opens a workshop. The action 500 is running. */
export async function openWorkshop(
  handlers: Readonly<Record<string, Handler>> = {},
  options: Partial<FacadeOptions> = {},
): Promise<Workshop> {
  const actions = createRunningActions();
  actions.set({ id: 500 });
  const answers = { ...createWorkshopAnswers(), ...actions.handlers, ...handlers };
  const api = await openApi(WORKSHOP, answers, options);
  return { ...api, actions };
}
