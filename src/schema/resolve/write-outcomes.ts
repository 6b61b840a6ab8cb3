// Builds the payload of a write.

import { Entity } from '../../loaders/entity.ts';
import { type PathIds, toGlobalId, toInputId } from '../../loaders/identity.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import { isPathValue } from '../../upstream/http/path-template.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { isActionState, type ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { ACTION_STATE } from '../names/naming.ts';
import { isDelete, type PayloadShape, type PayloadTypes } from '../types/payloads.ts';
import type { FailureExplainer } from './failure-reasons.ts';
import { type Ending, readResults } from './write-results.ts';

/** A write that the API accepted. */
export interface AcceptedWrite {
  readonly placement: Placement;
  readonly result: ActionResult;
  /** Values of the path's placeholders. */
  readonly values: PathIds;
  /** Maximum time to wait for a blocking action, in seconds. */
  readonly wait: number;
}

/** Dependencies of the payloads of one schema. */
export interface Payloads {
  readonly types: PayloadTypes;
  readonly explainFailure: FailureExplainer;
}

/** Builds the payload of an accepted write. If `wait` is positive, waits for the blocking action first. */
export async function buildPayload(
  assembly: Assembly,
  { types, explainFailure }: Payloads,
  { placement, result, values, wait }: AcceptedWrite,
  { operation, actions }: SchemaContext,
): Promise<PayloadShape> {
  const { action, resource } = placement;
  const stateId = action.blocking ? readStateId(result) : null;
  const shouldWait = stateId !== null && wait > 0;
  // An error while waiting is ignored, because the API has accepted the write. Unknown values are fetched when they are selected.
  const state = shouldWait
    ? await actions.wait(stateId, wait * 1000, operation.cost, operation.signal).catch(() => null)
    : null;
  if (state !== null) operation.reset();
  const ending = readEnding(state);
  const hasFailed = ending === 'FAILED';
  return {
    result: readResults(assembly, placement, types.resultKindFor(placement), { result, values, ending }),
    extraOutputs: isObject(result.output) ? result.output : {},
    deletedId: isDelete(action) && !hasFailed ? deletedIdOf(resource, values) : null,
    actionState: stateId === null ? null : createStateEntity(assembly, stateId, state),
    userErrors:
      state !== null && hasFailed && !isCancel(placement) ? [await explainFailure(state, operation)] : [],
  };
}

/** Whether an action is the protocol's action that cancels another action. */
export function isCancel({ resource, action }: Placement): boolean {
  return isActionState(resource.path) && action.name === 'cancel';
}

/** Reads how an action ended. Before `finished` is true, `status: false` means that the action is being rolled back. */
function readEnding(state: JsonObject | null): Ending {
  if (state?.['finished'] !== true || typeof state['status'] !== 'boolean') return null;
  return state['status'] ? 'SUCCEEDED' : 'FAILED';
}

function readStateId({ meta }: ActionResult): string | null {
  const id = meta['action_state_id'];
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && isPathValue(id) ? id : null;
}

/** Creates the entity of an action state. Unknown values are fetched when they are selected. */
function createStateEntity({ model }: Assembly, id: string, state: JsonObject | null): Entity | null {
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
