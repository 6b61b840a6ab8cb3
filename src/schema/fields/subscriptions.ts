// Adds what follows the progress of blocking actions: fields of `ActionState`, and subscriptions.
import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { pathIdsOf } from '../../loaders/identity.ts';
import { ACTION_STATE } from '../../upstream/actions/action-state-api.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { SchemaContext } from '../builder.ts';
import { canWatchActions, findAction, type ResourceModel, WATCHING } from '../model/model.ts';
import { withResource } from '../names/naming.ts';
import { readObject } from '../resolve/single-read.ts';
import type { ResourceType } from '../types/objects.ts';
import { readerOf, readInteger } from '../types/values.ts';

/** Default and bounds of the argument `minInterval`, in seconds. */
const MIN_INTERVAL = { default: 1, min: 0.1, max: 60 };
/** Maximum number of actions that one subscription watches. */
const MAX_IDS = 100;

/** Adds `outcome` and `progress` to `ActionState`. */
export function addStateFields(assembly: Assembly): void {
  const { builder } = assembly;
  const type = assembly.types.actionState;
  if (type === null) return;
  const outcome = builder.enumType('ActionOutcome', {
    description: 'The possible outcomes of an action.',
    values: {
      RUNNING: { description: 'The action is queued, running or being rolled back.' },
      SUCCEEDED: { description: 'The action finished successfully.' },
      FAILED: { description: 'The action finished with a failure.' },
    },
  });
  for (const name of ['outcome', 'progress']) type.fields.fix(name);
  const readFinished = readerOf({ name: 'finished', type: 'Boolean' });
  const readStatus = readerOf({ name: 'status', type: 'Boolean' });
  builder.objectField(type.ref, 'outcome', (t) =>
    t.field({
      extensions: { source: { parameter: 'finished' } },
      type: outcome,
      description:
        'The outcome of the action. It is `RUNNING` until `finished` is true; a failed action can finish at any progress.',
      resolve: (state) => {
        const isFinished = readFinished(state.value('finished'));
        if (isFinished !== true) return isFinished === null ? null : 'RUNNING';
        const hasSucceeded = readStatus(state.value('status'));
        if (hasSucceeded === null) return null;
        return hasSucceeded ? 'SUCCEEDED' : 'FAILED';
      },
    }),
  );
  builder.objectField(type.ref, 'progress', (t) =>
    t.float({
      extensions: { source: { parameter: 'total' } },
      description: 'The progress of the action from 0 to 1. Null if the total is 0 or unknown.',
      resolve: (state) => {
        const current = readInteger(state.value('current') ?? 0);
        const total = readInteger(state.value('total') ?? 0);
        if (current === undefined || total === undefined || total <= 0) return null;
        return Math.min(1, Math.max(0, current / total));
      },
    }),
  );
}

/** Adds the subscriptions for the progress of blocking actions that the caller may read. */
export function addSubscriptions(assembly: Assembly): void {
  const type = assembly.types.actionState;
  if (type === null) return;
  const isWatchable = canWatchActions(assembly.model);
  const hasList = findAction(type.resource.actions, 'index') !== null;
  if (!isWatchable && !hasList) return;
  assembly.builder.subscriptionType({
    description: 'The subscription root, for following the progress of the caller’s blocking actions.',
  });
  if (isWatchable) addWatches(assembly, type);
  if (hasList) addPending(assembly, type);
}

// Resets the loaders for each event, because objects read for an earlier event may be outdated.
const resolveState =
  ({ identity }: ResourceModel) =>
  (state: JsonObject | Error, _args: unknown, { operation }: SchemaContext): Entity => {
    if (state instanceof Error) throw state;
    operation.beginEvent();
    return new Entity(identity, 'show', state);
  };

function addWatches({ builder, ids }: Assembly, { resource, ref }: ResourceType): void {
  const resolve = resolveState(resource);
  const readStateId = (text: string): string => ids.read(resource, text).at(-1) ?? '';
  builder.subscriptionField('actionProgress', (t) =>
    t.field({
      type: ref,
      nullable: false,
      extensions: { scopes: WATCHING },
      description:
        'Sends the current state of an action immediately, then each change until the action finishes. Subscribe again to resume.',
      args: {
        id: t.arg.id({ required: true, description: 'The ID of the action state.' }),
        minInterval: t.arg.float({
          defaultValue: MIN_INTERVAL.default,
          description: `The minimum number of seconds between two events, from ${MIN_INTERVAL.min} to ${MIN_INTERVAL.max}.`,
        }),
      },
      subscribe: (_root, { id, minInterval }, { actions, operation }) =>
        actions.watch([readStateId(id)], readInterval(minInterval), operation.signal),
      resolve,
    }),
  );
  builder.subscriptionField('actionProgressMany', (t) =>
    t.field({
      type: ref,
      nullable: false,
      extensions: { scopes: WATCHING },
      description: `Sends the states of up to ${MAX_IDS} actions over one stream. An action that does not exist is an event with the error \`NOT_FOUND\`, after which the others go on. The stream completes when all actions have finished.`,
      args: { ids: t.arg.idList({ required: true, description: 'The IDs of the action states.' }) },
      subscribe: (_root, { ids: given }, { actions, operation }) => {
        if (given.length > MAX_IDS)
          throw new InvalidInputError(`"ids" contains ${given.length} IDs; the maximum is ${MAX_IDS}.`);
        return actions.watch(given.map(readStateId), 0, operation.signal);
      },
      resolve,
    }),
  );
}

function addPending({ builder }: Assembly, { resource, ref }: ResourceType): void {
  builder.subscriptionField('pendingActions', (t) =>
    t.field({
      type: ref,
      nullable: false,
      extensions: { scopes: [`${ACTION_STATE}#index`] },
      description: 'Sends the caller’s unfinished actions, each when it starts, changes and finishes.',
      subscribe: (_root, _args, { actions, operation }) => actions.pending(operation.signal),
      resolve: resolveState(resource),
    }),
  );
}

function readInterval(seconds: number | null | undefined): number {
  const value = seconds ?? MIN_INTERVAL.default;
  if (value >= MIN_INTERVAL.min && value <= MIN_INTERVAL.max) return value * 1000;
  throw new InvalidInputError(
    `"minInterval" must be a number of seconds from ${MIN_INTERVAL.min} to ${MIN_INTERVAL.max}.`,
  );
}

/** Adds a field to `ActionState` for each resource that, according to the overrides, shares its IDs. */
export function addActionStateResources(assembly: Assembly): void {
  const { builder, model, overrides, report, types } = assembly;
  const host = types.actionState;
  if (host === null) return;
  for (const shared of overrides.actionStateResources ?? []) {
    const target = model.get(shared);
    if (target === undefined) continue;
    const { identity, path } = target;
    const type = types.typeFor(target);
    if (type === null || identity.idPlaceholder === null || identity.placeholders.length !== 1) {
      const reason =
        'cannot share IDs with action states, because its objects are not identified by a single ID; left out';
      report.add('OVERRIDE_UNUSABLE', path.join('.'), reason);
      continue;
    }
    const name = host.fields.claim(target.fieldPrefix, path.join('.'), withResource);
    builder.objectField(host.ref, name, (t) =>
      t.field({
        type: type.ref,
        description: `The ${target.typeName} with the same ID as this action state. Null if there is none.`,
        resolve: (actionState, _args, { operation }, info) =>
          readObject(target, pathIdsOf(identity, actionState.requireIds()), operation, info),
      }),
    );
  }
}
