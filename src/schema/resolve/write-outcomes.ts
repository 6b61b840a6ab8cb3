import { Entity } from '../../loaders/entity.ts';
import { type PathIds, toGlobalId, toInputId } from '../../loaders/identity.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { isActionState, type ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { ACTION_STATE } from '../names/naming.ts';
import { isDelete, type PayloadShape, type PayloadTypes } from '../types/payloads.ts';
import type { FailureReasons } from './failure-reasons.ts';
import { type Ending, resultsOf } from './write-results.ts';

/** A write that the upstream took on. */
export interface AcceptedWrite {
  readonly placement: Placement;
  readonly result: ActionResult;
  /** Values of the path's placeholders. */
  readonly values: PathIds;
  /** Seconds to wait for the end of a blocking action. */
  readonly wait: number;
}

/** What the payloads of one schema are made with. */
export interface Payloads {
  readonly types: PayloadTypes;
  readonly reasonOf: FailureReasons;
}

/** Makes the payload of a write that the upstream took on, after waiting for its action where that is wanted. */
export async function payloadOf(
  assembly: Assembly,
  { types, reasonOf }: Payloads,
  { placement, result, values, wait }: AcceptedWrite,
  { operation, actions }: SchemaContext,
): Promise<PayloadShape> {
  const { action, resource } = placement;
  const stateId = action.blocking ? stateIdOf(result) : null;
  const isAwaited = stateId !== null && wait > 0;
  // The write is done, whether or not its action can be watched; what is not known yet is fetched when it is selected.
  const state = isAwaited
    ? await actions.wait(stateId, wait * 1000, operation.cost, operation.signal).catch(() => null)
    : null;
  if (state !== null) operation.reset();
  const ending = endingOf(state);
  const hasFailed = ending === 'FAILED';
  return {
    result: resultsOf(assembly, placement, types.resultKindOf(placement), { result, values, ending }),
    extraOutputs: isObject(result.output) ? result.output : {},
    deletedId: isDelete(action) && !hasFailed ? deletedIdOf(resource, values) : null,
    actionState: stateId === null ? null : stateEntity(assembly, stateId, state),
    userErrors: state !== null && hasFailed && !isCancel(placement) ? [await reasonOf(state, operation)] : [],
  };
}

/** Whether an action is the protocol's own that cancels another. */
export function isCancel({ resource, action }: Placement): boolean {
  return isActionState(resource.path) && action.name === 'cancel';
}

/** `finished` alone is the end: `status: false` before it says that the action is being undone. */
function endingOf(state: JsonObject | null): Ending {
  if (state?.['finished'] !== true) return null;
  return state['status'] === true ? 'SUCCEEDED' : 'FAILED';
}

function stateIdOf({ meta }: ActionResult): string | null {
  const id = meta['action_state_id'];
  return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
}

/** The action's state, as far as it is known; the rest is fetched when it is selected. */
function stateEntity({ model }: Assembly, id: string, state: JsonObject | null): Entity | null {
  const resource = model.get(ACTION_STATE);
  if (resource === undefined) return null;
  return new Entity(
    resource.identity,
    state === null ? 'association' : 'show',
    state ?? { id: toInputId(resource.identity, id) },
  );
}

function deletedIdOf({ identity }: ResourceModel, values: PathIds): string | null {
  const ids = identity.placeholders.map((placeholder) => values.get(placeholder));
  return ids.every((id) => id !== undefined) ? toGlobalId(identity, ids) : null;
}
