import { Entity } from '../loaders/entity.ts';
import { type CameBy, cameByOf, type Identity, type Ids, toGlobalId } from '../loaders/identity.ts';
import type { ActionResult } from '../upstream/client.ts';
import type { Action, Parameter } from '../upstream/description.ts';
import { InvalidInputError } from '../upstream/errors.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import type { Assembly } from './assembly.ts';
import type { SchemaContext } from './builder.ts';
import { FieldNames } from './field-names.ts';
import type { InputField } from './inputs.ts';
import { isActionState, type ResourceModel } from './model.ts';
import { ACTION_STATE, fieldNameOf, mutationNameOf } from './naming.ts';
import { isDelete, type PayloadShape, type PayloadTypes } from './payloads.ts';
import type { Placement } from './placement.ts';
import { fieldOptions, fill, type Resolve } from './reads.ts';
import { fromFailures, fromRefusal, type UserErrorShape } from './user-errors.ts';

/** Longest wait for a blocking action, in seconds: shorter than the idle time-outs of common proxies. */
const MAX_WAIT = 55;

/** Everything that a write is made of, worked out once. */
interface Write {
  readonly placement: Placement;
  /** The resource whose id is the argument; null for a write at the root. */
  readonly owner: ResourceModel | null;
  /** Name of that argument. */
  readonly idName: string | null;
  /** Other arguments that stand for placeholders. */
  readonly pathArguments: readonly { readonly name: string; readonly placeholder: string }[];
  readonly fields: readonly InputField[];
  readonly validate: ReturnType<Assembly['inputs']['validation']>;
  readonly isCancel: boolean;
}

/** Adds the field of one write to `Mutation`. */
export function addMutation(
  assembly: Assembly,
  payloads: PayloadTypes,
  placement: Placement,
  names: FieldNames,
): void {
  const { builder, inputs, reserved } = assembly;
  const { resource, action } = placement;
  const write = createWrite(assembly, placement);
  const suffix = fieldNameOf(action.name);
  const plain = `${resource.fieldPrefix}${suffix.charAt(0).toUpperCase()}${suffix.slice(1)}`;
  const name = names.claim(mutationNameOf(plain, reserved), action.scope);
  payloads.nameMutation(action, name);
  const { owner, idName, fields } = write;
  const inputType =
    fields.length === 0
      ? null
      : inputs.inputType(
          builder,
          resource,
          assembly.names.claim(resource, `${action.name}_input`),
          `Input of \`${action.scope}\`. What is left out is not sent; null is sent as null.`,
          fields,
        );
  const args = builder.args((t) => ({
    ...(idName === null ? {} : { [idName]: t.id({ required: true, description: describeOwner(owner) }) }),
    ...Object.fromEntries(
      write.pathArguments.map((argument) => [
        argument.name,
        t.string({ required: true, description: 'A part of the path.' }),
      ]),
    ),
    ...(inputType === null
      ? {}
      : {
          input: t.field({ type: inputType, required: fields.some(({ parameter }) => parameter.required) }),
        }),
    ...(action.blocking
      ? {
          wait: t.float({
            description: `Seconds to wait for the action to finish, at most ${MAX_WAIT}. At their end the latest state is the answer.`,
          }),
        }
      : {}),
  }));
  const payload = payloads.create(placement, write.isCancel);
  const resolve: Resolve = (_root, given, context) => runWrite(assembly, payloads, write, given, context);
  builder.mutationField(name, (t) => t.field(fieldOptions(payload, args, action, resolve)));
}

function createWrite({ inputs, report }: Assembly, placement: Placement): Write {
  const { resource, action } = placement;
  const taken = new FieldNames(action.scope, report);
  for (const own of ['input', 'wait']) taken.claim(own, action.scope);
  const owner = ownerOf(placement);
  const idName =
    owner === null
      ? null
      : taken.claim(placement.on === 'object' ? 'id' : fieldNameOf(owner.path.at(-1) ?? ''), action.scope);
  const known = new Set(owner?.identity.placeholders);
  const pathArguments = action.path.placeholders
    .filter((placeholder) => !known.has(placeholder))
    .map((placeholder) => ({ placeholder, name: taken.claim(fieldNameOf(placeholder), action.scope) }));
  const parameters: readonly Parameter[] = action.input.parameters;
  const validate = inputs.validation(parameters, action);
  return {
    placement,
    owner,
    idName,
    pathArguments,
    fields: inputs.fields(parameters, `${action.scope} input`),
    validate,
    isCancel: isCancelOf(resource, action),
  };
}

const isCancelOf = (resource: ResourceModel, action: Action): boolean =>
  isActionState(resource.path) && action.name === 'cancel';

/** The resource whose object a write is about: its own, or the nearest above whose id is in the path. */
function ownerOf({ resource, action, on }: Placement): ResourceModel | null {
  const candidates: ResourceModel[] = [];
  for (
    let owner: ResourceModel | null = on === 'object' ? resource : resource.parent;
    owner !== null;
    owner = owner.parent
  )
    candidates.push(owner);
  const inPath = new Set(action.path.placeholders);
  return (
    candidates.find(
      ({ identity }) =>
        identity.idPlaceholder !== null &&
        identity.placeholders.every((placeholder) => inPath.has(placeholder)),
    ) ?? null
  );
}

const describeOwner = (owner: ResourceModel | null): string =>
  `Id of the ${owner?.typeName ?? 'object'}: global, or the API’s own.`;

async function runWrite(
  assembly: Assembly,
  payloads: PayloadTypes,
  write: Write,
  given: JsonObject,
  context: SchemaContext,
): Promise<PayloadShape> {
  const { inputs } = assembly;
  const { action } = write.placement;
  const wait = readWait(given['wait']);
  const values = valuesOf(assembly, write, given);
  const input = inputs.toUpstream(write.fields, isObject(given['input']) ? given['input'] : {});
  const failures = fromFailures(write.validate(input), write.fields, ['input']);
  if (failures.length > 0) return refused(failures);
  const call = { action, path: fill(action, values), input, meta: {} };
  try {
    const result = await context.operation.write(call);
    return await finish(assembly, payloads, write, { result, values, wait }, context);
  } catch (error) {
    const refusal = fromRefusal(error, write.fields, ['input'], write.isCancel);
    if (refusal === null) throw error;
    return refused(refusal);
  }
}

function valuesOf({ ids }: Assembly, { owner, idName, pathArguments }: Write, given: JsonObject): CameBy {
  const values = new Map<string, string>();
  if (owner !== null && idName !== null) {
    for (const [placeholder, id] of cameByOf(owner.identity, ids.read(owner, String(given[idName])))) {
      values.set(placeholder, id);
    }
  }
  for (const { name, placeholder } of pathArguments) values.set(placeholder, String(given[name]));
  return values;
}

const refused = (userErrors: readonly UserErrorShape[]): PayloadShape => ({
  result: null,
  beside: {},
  deletedId: null,
  actionState: null,
  userErrors,
});

function readWait(wait: unknown): number {
  if (wait === undefined || wait === null) return 0;
  if (typeof wait === 'number' && wait >= 0 && wait <= MAX_WAIT) return wait;
  throw new InvalidInputError(`"wait" must be from 0 to ${MAX_WAIT} seconds.`);
}

interface Outcome {
  readonly result: ActionResult;
  readonly values: CameBy;
  readonly wait: number;
}

/** Makes the payload of a write that the upstream took on. */
async function finish(
  assembly: Assembly,
  payloads: PayloadTypes,
  { placement, isCancel }: Write,
  { result, values, wait }: Outcome,
  { operation, actions }: SchemaContext,
): Promise<PayloadShape> {
  const { action, resource } = placement;
  const stateId = action.blocking ? stateIdOf(result) : null;
  const isAwaited = stateId !== null && wait > 0;
  const state = isAwaited
    ? await latest(actions.wait(stateId, wait * 1000, operation.cost, operation.signal))
    : null;
  // What was answered before the action ended may have changed since.
  const isDone = state !== null && state['finished'] === true && state['status'] === true;
  const isStale = isDone && resource.identity.show !== null && !isDelete(action);
  if (state !== null) operation.reset();
  const kind = payloads.resultOf(placement);
  const hasFailed = state !== null && state['finished'] === true && state['status'] === false;
  return {
    result: kind === 'none' ? null : resultOf(assembly, placement, kind, result, values, isStale),
    beside: isObject(result.output) ? result.output : {},
    deletedId: isDelete(action) && !hasFailed ? deletedIdOf(resource, values) : null,
    actionState: stateId === null ? null : stateEntity(assembly, stateId, state),
    userErrors: hasFailed && !isCancel ? [ACTION_FAILED] : [],
  };
}

/** The write is done whatever becomes of watching it; what is not known yet is fetched when it is selected. */
async function latest(state: Promise<JsonObject | null>): Promise<JsonObject | null> {
  return state.catch(() => null);
}

const ACTION_FAILED: UserErrorShape = {
  message: 'The action was begun and failed.',
  code: 'ACTION_FAILED',
  path: null,
  parameter: null,
};

function stateIdOf({ meta }: ActionResult): string | null {
  const id = meta['action_state_id'];
  return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
}

/** The action's state, as far as it is known; the rest is fetched when it is selected. */
export function stateEntity({ model }: Assembly, id: string, state: JsonObject | null): Entity | null {
  const resource = model.get(ACTION_STATE);
  if (resource === undefined) return null;
  return new Entity(
    resource.identity,
    state === null ? 'association' : 'show',
    state ?? { id: /^\d{1,15}$/.test(id) ? Number(id) : id },
  );
}

function resultOf(
  { metaNamespace }: Assembly,
  { resource }: Placement,
  kind: 'resource' | 'own',
  { output, meta }: ActionResult,
  values: CameBy,
  isStale: boolean,
): Entity | readonly Entity[] | null {
  const { identity } = resource;
  const read = (row: JsonObject, rowMeta: unknown): Entity => {
    const { [metaNamespace]: own, ...rest } = row;
    const entity = new Entity(identity, kind === 'own' ? 'show' : 'row', rest, {
      meta: own ?? rowMeta,
      cameBy: values,
    });
    return isStale && kind === 'resource' && entity.ids !== null ? known(identity, entity.ids) : entity;
  };
  if (Array.isArray(output)) return output.map((row: JsonObject) => read(row, null));
  if (isObject(output)) return read(output, meta);
  const ids = identity.placeholders.map((placeholder) => values.get(placeholder));
  return kind === 'resource' && ids.every((id) => id !== undefined) ? known(identity, ids) : null;
}

/** An object of which only the ids are known. */
function known(identity: Identity, ids: Ids): Entity {
  return new Entity(identity, 'association', {}, { cameBy: cameByOf(identity, ids) });
}

function deletedIdOf({ identity }: ResourceModel, values: CameBy): string | null {
  const ids = identity.placeholders.map((placeholder) => values.get(placeholder));
  return ids.every((id) => id !== undefined) ? toGlobalId(identity, ids) : null;
}
