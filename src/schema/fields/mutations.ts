// Adds a field to `Mutation` for each write.
import type { Assembly } from '../assemble.ts';
import { codeOf } from '../descriptions/descriptions.ts';
import { canWatchActions, type ResourceModel, WATCHING } from '../model/model.ts';
import { type Placement, placeAction } from '../model/placement.ts';
import { appendName, avoidReserved, fieldNameOf, withResource } from '../names/naming.ts';
import { nameType } from '../names/type-names.ts';
import { argumentsOf, fieldsOf, UniqueNames } from '../names/unique-names.ts';
import { createWriteResolver, MAX_WAIT } from '../resolve/write.ts';
import { declarePath, type PathArguments } from '../types/ids.ts';
import { Inputs } from '../types/inputs.ts';
import { fieldOptions, nullOnlyWithError } from '../types/outputs.ts';
import { declarePayload } from '../types/payloads.ts';

/** Adds `Mutation` with the fields of all writes, if there are any or an extension has some. */
export function addMutations(assembly: Assembly): void {
  const { builder, model, reserved } = assembly;
  const writes = [...model.values()].flatMap((resource) =>
    resource.writes.map((action) => placeAction(resource, action)),
  );
  if (writes.length === 0 && reserved.mutations.size === 0) return;
  builder.mutationType({
    description:
      'The mutation root, for writing data to the management API. The fields run one after another. A write that the API may have carried out is never repeated.',
  });
  const names = new UniqueNames(assembly, fieldsOf('Mutation'), reserved.mutations);
  for (const placement of writes) {
    const { resource, action } = placement;
    const ownName = avoidReserved(appendName(resource.fieldPrefix, action.name), reserved.mutations);
    const name = names.claim(ownName, action.scope, withResource);
    assembly.actionFields.set(action.scope, { type: 'Mutation', name });
    const path = declareWritePath(assembly, placement, name);
    const { parameters } = action.input;
    const type = parameters.length === 0 ? null : nameType(assembly, resource, action.name, 'input');
    const inputNames = new UniqueNames(assembly, fieldsOf(type ?? ''));
    const inputs = new Inputs(assembly, resource, action, parameters, inputNames, ['input']);
    const args = { ...path.args, ...declareArguments(assembly, placement, name, inputs, type) };
    const { ref, kind } = declarePayload(assembly, placement);
    const coordinate = `Mutation.${name}`;
    const resolve = createWriteResolver(assembly, { placement, coordinate, path, inputs, kind });
    builder.mutationField(name, (t) => t.field(nullOnlyWithError(fieldOptions(ref, args, action, resolve))));
  }
}

function declareWritePath(assembly: Assembly, placement: Placement, mutation: string): PathArguments {
  const { resource, action, on } = placement;
  const owner = ownerOf(placement);
  const ownerPlaceholders = new Set(owner?.identity.placeholders);
  return declarePath(
    assembly,
    resource,
    owner && { resource: owner, name: on === 'object' ? 'id' : fieldNameOf(owner.path.at(-1) ?? '') },
    action.path.placeholders.filter((placeholder) => !ownerPlaceholders.has(placeholder)),
    new UniqueNames(assembly, argumentsOf(`Mutation.${mutation}`), ['input', 'wait']),
  );
}

/** Returns the resource to whose object a write applies: its own, or the nearest ancestor whose ID is in the path. */
function ownerOf({ resource, action, on }: Placement): ResourceModel | null {
  const inPath = new Set(action.path.placeholders);
  const isOwner = ({ identity: { idPlaceholder, placeholders } }: ResourceModel): boolean =>
    idPlaceholder !== null && placeholders.every((placeholder) => inPath.has(placeholder));
  let owner = on === 'object' ? resource : resource.parent;
  while (owner !== null && !isOwner(owner)) owner = owner.parent;
  return owner;
}

function declareArguments(
  { builder, model }: Assembly,
  { action }: Placement,
  mutation: string,
  inputs: Inputs,
  typeName: string | null,
) {
  const description = `Input of ${codeOf(action.scope)}. Omitted fields are not sent to the API; null is sent as null.`;
  const type = typeName === null ? null : inputs.declareType(typeName, description);
  return builder.args((t) => ({
    ...(type === null
      ? {}
      : { input: t.field({ type, description: `Parameters for ${mutation}.`, required: inputs.required }) }),
    ...(action.blocking && canWatchActions(model)
      ? {
          wait: t.float({
            extensions: { scopes: WATCHING },
            description: `How many seconds to wait for the action to finish, from 0 to ${MAX_WAIT}. If it is still running then, the payload contains its latest state. Without \`wait\`, the mutation does not wait.`,
          }),
        }
      : {}),
  }));
}
