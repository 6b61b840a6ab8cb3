import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { actionOf, type ResourceModel } from '../model/model.ts';
import { ACTION_STATE } from '../names/naming.ts';
import type { EntityRef } from '../types/object-fields.ts';
import { readInteger } from '../types/outputs.ts';

/** Least time between two events, in seconds: default, and what may be asked for. */
const MIN_INTERVAL = { default: 1, least: 0.1, most: 60 };
/** Actions that one subscription watches at the most. */
const MAX_IDS = 1000;

/** The resource of action states, and its type. */
interface StateType {
  readonly resource: ResourceModel;
  readonly ref: EntityRef;
}

/** Null where the API describes no action states. */
function stateType({ model, types }: Assembly): StateType | null {
  const resource = model.get(ACTION_STATE);
  const type = resource === undefined ? null : types.typeFor(resource);
  return resource === undefined || type === null ? null : { resource, ref: type.ref };
}

/** Adds `outcome` and `progress` to `ActionState`. */
export function addStateFields(assembly: Assembly): void {
  const type = stateType(assembly);
  if (type === null) return;
  const { builder, sources, types } = assembly;
  const outcome = builder.enumType('ActionOutcome', {
    description: 'How an action stands.',
    values: {
      RUNNING: { description: 'Queued, under way, or being rolled back.' },
      SUCCEEDED: {},
      FAILED: {},
    },
  });
  for (const name of ['outcome', 'progress']) types.typeFor(type.resource)?.fields.claim(name, ACTION_STATE);
  sources.set(type.resource, 'outcome', { parameter: 'finished' });
  sources.set(type.resource, 'progress', { parameter: 'total' });
  builder.objectField(type.ref, 'outcome', (t) =>
    t.field({
      type: outcome,
      description: 'Only `finished` ends an action: a failed one may end below its total or at it.',
      resolve: (state) => {
        if (state.value('finished') !== true) return 'RUNNING';
        return state.value('status') === true ? 'SUCCEEDED' : 'FAILED';
      },
    }),
  );
  builder.objectField(type.ref, 'progress', (t) =>
    t.float({
      description: 'From 0 to 1; null when the total is 0 or unknown.',
      resolve: (state) => {
        const current = readInteger(state.value('current') ?? 0);
        const total = readInteger(state.value('total') ?? 0);
        if (current === undefined || total === undefined || total <= 0) return null;
        return Math.min(1, Math.max(0, current / total));
      },
    }),
  );
}

/** Adds the subscriptions that stream the progress of blocking actions, as far as the caller may look at them. */
export function addSubscriptions(assembly: Assembly): void {
  const type = stateType(assembly);
  if (type === null) return;
  const offers = (action: string): boolean => actionOf(type.resource.actions, action) !== null;
  const isWatchable = offers('show') || offers('poll');
  if (!isWatchable && !offers('index')) return;
  assembly.builder.subscriptionType({ description: 'Progress of the caller’s blocking actions.' });
  if (isWatchable) addWatches(assembly, type);
  if (offers('index')) addPending(assembly, type);
}

// Loaders live for one event: what another event has read may be old.
const resolveState =
  ({ identity }: ResourceModel) =>
  (state: JsonObject, _args: unknown, { operation }: SchemaContext): Entity => {
    operation.reset();
    return new Entity(identity, 'show', state);
  };

function addWatches({ builder, ids }: Assembly, { resource, ref }: StateType): void {
  const resolve = resolveState(resource);
  const own = (text: string): string => ids.read(resource, text).at(-1) ?? '';
  builder.subscriptionField('actionProgress', (t) =>
    t.field({
      type: ref,
      nullable: false,
      description:
        'The current state at once, then each change, last the finished one. Subscribing again is resuming.',
      args: {
        id: t.arg.id({ required: true }),
        minInterval: t.arg.float({
          defaultValue: MIN_INTERVAL.default,
          description: `Least seconds between two events, from ${MIN_INTERVAL.least} to ${MIN_INTERVAL.most}.`,
        }),
      },
      subscribe: (_root, { id, minInterval }, { actions, operation }) =>
        actions.watch([own(id)], readInterval(minInterval), operation.signal),
      resolve,
    }),
  );
  builder.subscriptionField('actionProgressMany', (t) =>
    t.field({
      type: ref,
      nullable: false,
      description: `The same for up to ${MAX_IDS} actions over one stream; it ends when all have finished.`,
      args: { ids: t.arg.idList({ required: true }) },
      subscribe: (_root, { ids: given }, { actions, operation }) => {
        if (given.length > MAX_IDS)
          throw new InvalidInputError(`"ids" holds ${given.length} ids; at most ${MAX_IDS}.`);
        return actions.watch(given.map(own), 0, operation.signal);
      },
      resolve,
    }),
  );
}

function addPending({ builder }: Assembly, { resource, ref }: StateType): void {
  builder.subscriptionField('pendingActions', (t) =>
    t.field({
      type: ref,
      nullable: false,
      description: 'The caller’s own unfinished actions as they come, move and end.',
      subscribe: (_root, _args, { actions, operation }) => actions.pending(operation.signal),
      resolve: resolveState(resource),
    }),
  );
}

function readInterval(seconds: number | null | undefined): number {
  const value = seconds ?? MIN_INTERVAL.default;
  if (value >= MIN_INTERVAL.least && value <= MIN_INTERVAL.most) return value * 1000;
  throw new InvalidInputError(
    `"minInterval" must be from ${MIN_INTERVAL.least} to ${MIN_INTERVAL.most} seconds.`,
  );
}
