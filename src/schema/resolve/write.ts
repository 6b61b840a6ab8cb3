// Resolves mutations: calls a write, and builds its payload.
import { Entity } from '../../loaders/entity.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import {
  globalIdIn,
  idsOf,
  nearestIdIn,
  type PathIds,
  toGlobalId,
  toInputId,
} from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { WriteSubject } from '../../loaders/write-guard.ts';
import { ACTION_STATE } from '../../upstream/actions/action-state-api.ts';
import { isMissing } from '../../upstream/errors.ts';
import type { ActionResult } from '../../upstream/http/action-client.ts';
import { isPathValue } from '../../upstream/http/request-path.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { isCancel, isDelete, type Placement } from '../model/placement.ts';
import { fillPlaceholders, type PathArguments } from '../types/ids.ts';
import type { Inputs } from '../types/inputs.ts';
import type { PayloadShape } from '../types/payloads.ts';
import { fromFailedAction, fromFailures, fromRefusal, type UserErrorShape } from './field-errors.ts';
import {
  type ActionOutcome,
  createResultReader,
  type ResultKind,
  type ResultReader,
} from './write-results.ts';

/** Maximum wait for a blocking action, in seconds: shorter than the idle timeouts of common proxies. */
export const MAX_WAIT = 55;

/** Everything about a write that is known at assembly. */
export interface WriteParts {
  readonly placement: Placement;
  /** Coordinate of the mutation, e.g. `Mutation.bookCreate`. */
  readonly coordinate: string;
  readonly path: PathArguments;
  readonly inputs: Inputs;
  readonly kind: ResultKind;
}

/** One write. */
export class Write {
  readonly #assembly: Assembly;
  readonly #parts: WriteParts;
  readonly #isDelete: boolean;
  readonly #readResults: ResultReader;

  constructor(assembly: Assembly, parts: WriteParts) {
    this.#assembly = assembly;
    this.#parts = parts;
    const { placement, kind } = parts;
    this.#isDelete = isDelete(placement.action);
    this.#readResults = createResultReader(assembly.metaNamespace, placement, kind);
  }

  /** Checks the input by the described rules, calls the action once, and waits for it if the client requests it. */
  async run(given: JsonObject, context: SchemaContext): Promise<PayloadShape> {
    const { placement, path, inputs } = this.#parts;
    const { action } = placement;
    const wait = readWait(given['wait']);
    const values = path.read(given);
    const input = inputs.toUpstream(isObject(given['input']) ? given['input'] : {});
    const failures = inputs.failuresOf(input);
    if (failures.length > 0) return rejectedPayload(fromFailures(failures, inputs.paths));
    const call = { action, path: fillPlaceholders(action, values), input, meta: {} };
    const { operation } = context;
    let refusal: Promise<readonly UserErrorShape[]> | null = null;
    // The audit and the client get what is found out once.
    const readRefusal = (error: unknown) => {
      refusal ??= this.#readRefusal(error, values, operation);
      return refusal;
    };
    const response = await operation.calls
      .write(call, this.#subjectOf(values, readRefusal))
      .catch(readRefusal);
    if (Array.isArray(response)) return rejectedPayload(response);
    return this.#buildPayload(response as ActionResult, values, wait, context);
  }

  #subjectOf(
    values: PathIds,
    readRefusal: (error: unknown) => Promise<readonly UserErrorShape[]>,
  ): WriteSubject {
    const { placement, kind, coordinate } = this.#parts;
    const { identity } = placement.resource;
    return {
      coordinate,
      target: () => nearestIdIn(identity, values),
      resultId({ output, meta }) {
        if (kind !== 'resource' || !isObject(output)) return null;
        const ids = idsOf(identity, output, meta, values);
        return ids === null ? null : toGlobalId(identity, ids);
      },
      failureOf: (error) =>
        readRefusal(error).then(
          ([first]) => first?.code ?? error,
          (seen: unknown) => seen,
        ),
    };
  }

  /** @throws The error if it is not a refusal of the input or of the object's state. */
  async #readRefusal(
    error: unknown,
    values: PathIds,
    operation: Operation,
  ): Promise<readonly UserErrorShape[]> {
    const { placement, inputs } = this.#parts;
    const errors = fromRefusal(error, inputs.paths, isCancel(placement.action));
    if (errors === null) throw error;
    // Servers reject cancelling a finished action and an unknown one with the same message.
    const { show } = placement.resource.identity;
    if (show !== null && errors.some(({ code }) => code === 'NOT_CANCELLABLE')) {
      const call = { action: show, path: fillPlaceholders(show, values), input: {}, meta: {} };
      const reason = { reason: 'REFUSED_CANCEL', fields: [this.#parts.coordinate] } as const;
      await operation.calls.read(call, reason).catch((failure: unknown) => {
        if (isMissing(failure)) throw failure;
      });
    }
    return errors;
  }

  async #buildPayload(
    result: ActionResult,
    values: PathIds,
    wait: number,
    { operation, actions }: SchemaContext,
  ): Promise<PayloadShape> {
    const { action, resource } = this.#parts.placement;
    const stateId = action.blocking ? readStateId(result) : null;
    const shouldWait = stateId !== null && wait > 0;
    // An error while waiting is ignored, because the API has accepted the write. Unknown values are fetched when they are selected.
    const state = shouldWait
      ? await actions.wait(stateId, wait * 1000, operation.cost, operation.end.closing).catch(() => null)
      : null;
    const outcome = readOutcome(state);
    const hasFailed = outcome === 'FAILED';
    return {
      result: this.#readResults({ result, values, outcome }),
      extraOutputs: isObject(result.output) ? result.output : {},
      deletedId: this.#isDelete && !hasFailed ? globalIdIn(resource.identity, values) : null,
      actionState: stateId === null ? null : this.#createStateEntity(stateId, state),
      userErrors: state !== null && hasFailed && !isCancel(action) ? [fromFailedAction(state)] : [],
    };
  }

  /** Creates the entity of an action state. Unknown values are fetched when they are selected. */
  #createStateEntity(id: string, state: JsonObject | null): Entity | null {
    const identity = this.#assembly.model.get(ACTION_STATE)?.identity;
    if (identity === undefined) return null;
    if (state !== null) return new Entity(identity, 'show', state);
    return new Entity(identity, 'association', { id: toInputId(identity, id) });
  }
}

const rejectedPayload = (userErrors: readonly UserErrorShape[]): PayloadShape => ({
  result: null,
  extraOutputs: {},
  deletedId: null,
  actionState: null,
  userErrors,
});

function readWait(wait: unknown): number {
  if (wait === undefined || wait === null) return 0;
  if (typeof wait === 'number' && wait >= 0 && wait <= MAX_WAIT) return wait;
  throw new InvalidInputError(`"wait" must be a number of seconds from 0 to ${MAX_WAIT}.`);
}

/** Reads how an action ended. Before `finished` is true, `status: false` means that the action is being rolled back. */
function readOutcome(state: JsonObject | null): ActionOutcome {
  if (state?.['finished'] !== true || typeof state['status'] !== 'boolean') return null;
  return state['status'] ? 'SUCCEEDED' : 'FAILED';
}

function readStateId({ meta }: ActionResult): string | null {
  const id = meta['action_state_id'];
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && isPathValue(id) ? id : null;
}
