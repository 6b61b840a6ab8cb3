// Adds a field to `Mutation` for each write.

import { type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import { isMissing } from '../../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { FieldNames } from '../names/field-names.ts';
import { appendName, fieldNameOf, mutationNameOf } from '../names/naming.ts';
import { fromFailures, fromRefusal, type UserErrorShape } from '../resolve/user-errors.ts';
import { buildPayload, isCancel, type Payloads } from '../resolve/write-outcomes.ts';
import type { InputField } from '../types/inputs.ts';
import type { PayloadShape } from '../types/payloads.ts';
import {
  describeIdArgument,
  describePathArgument,
  fieldOptions,
  fillPlaceholders,
  type Resolve,
} from './reads.ts';

/** Maximum wait for a blocking action, in seconds: shorter than the idle timeouts of common proxies. */
const MAX_WAIT = 55;

/** Everything about a write that is known at assembly. */
interface Write {
  readonly placement: Placement;
  /** The resource whose ID is an argument. Null if the path contains no ID. */
  readonly owner: ResourceModel | null;
  /** Name of the argument for the owner's ID. */
  readonly idName: string | null;
  /** Arguments for the other placeholders of the path. */
  readonly pathArguments: readonly { readonly name: string; readonly placeholder: string }[];
  readonly fields: readonly InputField[];
  readonly validate: ReturnType<Assembly['inputs']['validation']>;
}

/** Adds the field of one write to `Mutation`. */
export function addMutation(
  assembly: Assembly,
  payloads: Payloads,
  placement: Placement,
  names: FieldNames,
): void {
  const { builder, inputs, reserved } = assembly;
  const { resource, action } = placement;
  const write = createWrite(assembly, placement);
  const ownName = appendName(resource.fieldPrefix, action.name);
  const name = names.claim(mutationNameOf(ownName, reserved), action.scope);
  payloads.types.nameMutation(action, name);
  const { owner, idName, fields } = write;
  const inputType =
    fields.length === 0
      ? null
      : inputs.inputType(
          builder,
          resource,
          assembly.names.nameFor(resource, 'input', action.name),
          `Input of \`${action.scope}\`. Omitted fields are not sent to the API; null is sent as null.`,
          fields,
        );
  const args = builder.args((t) => ({
    ...(idName === null ? {} : { [idName]: t.id({ required: true, description: describeOwner(owner) }) }),
    ...Object.fromEntries(
      write.pathArguments.map((argument) => [
        argument.name,
        t.string({ required: true, description: describePathArgument(argument.placeholder) }),
      ]),
    ),
    ...(inputType === null
      ? {}
      : {
          input: t.field({
            type: inputType,
            description: `Parameters for ${name}.`,
            required: fields.some(({ parameter }) => parameter.required),
          }),
        }),
    ...(action.blocking
      ? {
          wait: t.float({
            description: `How many seconds to wait for the action to finish, from 0 to ${MAX_WAIT}. If it is still running then, the payload contains its latest state. Without \`wait\`, the mutation does not wait.`,
          }),
        }
      : {}),
  }));
  const payload = payloads.types.create(placement, isCancel(placement) ? 'target' : null);
  const resolve: Resolve = (_root, given, context) => runWrite(assembly, payloads, write, given, context);
  builder.mutationField(name, (t) => t.field(fieldOptions(payload, args, action, resolve)));
}

function createWrite({ inputs, report }: Assembly, placement: Placement): Write {
  const { action } = placement;
  const argumentNames = new FieldNames(action.scope, report);
  for (const name of ['input', 'wait']) argumentNames.claim(name, action.scope);
  const owner = ownerOf(placement);
  const idName =
    owner === null
      ? null
      : argumentNames.claim(
          placement.on === 'object' ? 'id' : fieldNameOf(owner.path.at(-1) ?? ''),
          action.scope,
        );
  const ownerPlaceholders = new Set(owner?.identity.placeholders);
  const pathArguments = action.path.placeholders
    .filter((placeholder) => !ownerPlaceholders.has(placeholder))
    .map((placeholder) => ({
      placeholder,
      name: argumentNames.claim(fieldNameOf(placeholder), action.scope),
    }));
  const parameters: readonly Parameter[] = action.input.parameters;
  const validate = inputs.validation(parameters, action);
  return {
    placement,
    owner,
    idName,
    pathArguments,
    fields: inputs.fields(parameters, `${action.scope} input`),
    validate,
  };
}

/** Returns the resource to whose object a write applies: its own, or the nearest ancestor whose ID is in the path. */
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
  describeIdArgument(owner?.typeName ?? 'object');

async function runWrite(
  assembly: Assembly,
  payloads: Payloads,
  write: Write,
  given: JsonObject,
  context: SchemaContext,
): Promise<PayloadShape> {
  const { inputs } = assembly;
  const { placement } = write;
  const { action } = placement;
  const wait = readWait(given['wait']);
  const values = pathValuesOf(assembly, write, given);
  const input = inputs.toUpstream(write.fields, isObject(given['input']) ? given['input'] : {});
  const failures = fromFailures(write.validate(input), write.fields, ['input']);
  if (failures.length > 0) return rejectedPayload(failures);
  const call = { action, path: fillPlaceholders(action, values), input, meta: {} };
  const response = await context.operation.write(call).catch(async (error: unknown) => {
    const errors = fromRefusal(error, write.fields, ['input'], isCancel(placement));
    if (errors === null) throw error;
    if (errors.some(({ code }) => code === 'NOT_CANCELLABLE')) {
      await ensureExists(placement.resource, values, context.operation);
    }
    return { errors };
  });
  if ('errors' in response) return rejectedPayload(response.errors);
  return buildPayload(assembly, payloads, { placement, result: response, values, wait }, context);
}

/**
 * Checks that an action state exists. Servers reject cancelling a finished action and an unknown one with the same message.
 * @throws ActionFailedError when the API responds that there is no such state. Other failures are ignored.
 */
async function ensureExists(
  { identity }: ResourceModel,
  values: PathIds,
  operation: Operation,
): Promise<void> {
  const { show } = identity;
  if (show === null) return;
  await operation
    .read({ action: show, path: fillPlaceholders(show, values), input: {}, meta: {} })
    .catch((error: unknown) => {
      if (isMissing(error)) throw error;
    });
}

function pathValuesOf(
  { ids }: Assembly,
  { placement, owner, idName, pathArguments }: Write,
  given: JsonObject,
): PathIds {
  const values = new Map<string, string>();
  if (owner !== null && idName !== null) {
    for (const [placeholder, id] of pathIdsOf(owner.identity, ids.read(owner, String(given[idName])))) {
      values.set(placeholder, id);
    }
  }
  for (const { name, placeholder } of pathArguments)
    values.set(placeholder, ids.readPart(placement.resource, placeholder, String(given[name])));
  return values;
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
