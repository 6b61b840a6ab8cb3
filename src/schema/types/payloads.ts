// Creates the payload types of mutations.
import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { NO_PATH_IDS, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { Builder, ExtensionParts, SchemaContext } from '../builder.ts';
import { codeOf, describeParameter, wordsFor } from '../descriptions/descriptions.ts';
import { returnsRows } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import { sortByName } from '../model/parameters.ts';
import { isCancel, isDelete, type Placement } from '../model/placement.ts';
import { avoidReserved, fieldNameOf, outputNameOf, withResource } from '../names/naming.ts';
import { pluralOf } from '../names/read-names.ts';
import { nameType } from '../names/type-names.ts';
import { fieldsOf, UniqueNames } from '../names/unique-names.ts';
import { USER_ERROR_CODES, type UserErrorShape } from '../resolve/field-errors.ts';
import { complete, needsFetchOrLabel, projectionFor } from '../resolve/projection.ts';
import { readObject } from '../resolve/single-read.ts';
import { nullable, outputFieldOf } from './outputs.ts';

/** Values that every payload has. */
export interface Outcome {
  readonly userErrors: readonly UserErrorShape[];
}

const ROOT = {};

/** How a write ended. Null if its action is still running, if the write did not wait, or if the action does not block. */
type WriteOutcome = 'SUCCEEDED' | 'FAILED' | null;

/** The kind of a payload's result: objects of the resource's type, objects of the action's output type, or none. */
export type ResultKind = 'resource' | 'own' | 'none';

/** The outcome of a write. */
export interface PayloadShape extends Outcome {
  /** The objects of the response, which are empty where only their ids are known. Null if there are none. */
  readonly result: Entity | readonly Entity[] | null;
  readonly outcome: WriteOutcome;
  /** Output parameters that are not part of the resource. */
  readonly extraOutputs: JsonObject;
  readonly deletedId: string | null;
  readonly actionState: Entity | null;
}

/** What payloads have beside the outputs of their actions. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['deletedId', 'actionState', 'userErrors', 'query']);
/** Protocol parameter that names the action of the next login step. */
const NEXT_ACTION = 'next_action';

type PayloadRef = ReturnType<typeof createPayload<PayloadShape>>;

/** Declares the payload type of a write. Returns the type and the kind of its result. */
export function declarePayload(assembly: Assembly, placement: Placement) {
  const { builder, types } = assembly;
  const { resource, action } = placement;
  const name = nameType(assembly, resource, action.name, 'payload');
  const ref = createPayload<PayloadShape>(assembly, name, `Payload of ${codeOf(action.scope)}.`);
  const fields = new UniqueNames(assembly, fieldsOf(name), OWN_FIELDS);
  if (isDelete(action))
    builder.objectField(ref, 'deletedId', (t) =>
      t.id({
        description: 'The global ID of the deleted object. Null if it was not deleted.',
        resolve: ({ deletedId }) => deletedId,
      }),
    );
  if (action.blocking) addActionState(assembly, ref);
  const { parameters } = action.output;
  const extras = parameters.length === 0 ? null : types.extrasOf(action, resource);
  const kind = kindOf(placement, extras !== null);
  if (kind !== 'none') addResult(assembly, ref, placement, fields, kind);
  for (const parameter of sortByName(extras ?? [])) addExtra(assembly, ref, placement, fields, parameter);
  if (parameters.some((parameter) => parameter.name === NEXT_ACTION))
    addNextMutation(assembly, ref, action, fields);
  return { ref, kind };
}

function kindOf({ resource, action }: Placement, isObject: boolean): ResultKind {
  if (action.output.parameters.length > 0) return isObject ? 'resource' : 'own';
  const { show, placeholders } = resource.identity;
  const isKnown = placeholders.every((placeholder) => action.path.placeholders.includes(placeholder));
  return show !== null && isKnown && !isDelete(action) ? 'resource' : 'none';
}

function addActionState({ builder, types }: Assembly, ref: PayloadRef): void {
  const state = types.actionState;
  if (state === null) return;
  builder.objectField(ref, 'actionState', (t) =>
    t.field({
      type: state.ref,
      description:
        'The state of the action that this call started. Null if the call did not start a blocking action.',
      resolve: ({ actionState }, _args, { operation }, info) =>
        actionState && complete(actionState, state.resource, operation, info),
    }),
  );
}

/** A login can have several steps, each of which names the next one (specification: Token lifecycle). */
function addNextMutation(
  { builder, actionFields }: Assembly,
  ref: PayloadRef,
  { resource, scope }: Action,
  fields: UniqueNames,
): void {
  builder.objectField(ref, fields.claim('nextMutation', scope), (t) =>
    t.string({
      description: 'The mutation that performs the next login step. Null if the login is complete.',
      resolve: ({ extraOutputs }) => {
        if (extraOutputs['complete'] === true) return null;
        const next = actionFields.get(`${resource.join('.')}#${String(extraOutputs[NEXT_ACTION])}`);
        return next?.type === 'Mutation' ? next.name : null;
      },
    }),
  );
}

function addResult(
  assembly: Assembly,
  ref: PayloadRef,
  { resource, action }: Placement,
  fields: UniqueNames,
  kind: 'resource' | 'own',
): void {
  const { builder, types } = assembly;
  const type = kind === 'resource' ? types.typeFor(resource)?.ref : types.outputTypeFor(resource, action);
  if (type === undefined) return;
  const ownName = avoidReserved(nameOfResult(resource, action, kind), OWN_FIELDS);
  const name = fields.claim(ownName, action.scope, withResource);
  const isList = returnsRows(action);
  const show = createShow(resource, kind, `${ref.name}.${name}`);
  const resolve = (
    { result, outcome }: PayloadShape,
    _args: unknown,
    { operation }: SchemaContext,
    info: GraphQLResolveInfo,
  ) =>
    result instanceof Entity || result === null
      ? show(result, outcome, operation, info)
      : Promise.all(result.map((entity) => show(entity, outcome, operation, info)));
  const description =
    kind === 'own' ? `The output of ${codeOf(action.scope)}.` : describeObject(resource, isList);
  builder.objectField(ref, name, (t) =>
    t.field({
      // Pothos cannot know whether the field is a list.
      type: (isList ? [type] : type) as typeof type,
      nullable: nullable(isList ? [type] : type),
      description,
      resolve: resolve as never,
    }),
  );
}

/**
 * Creates the function that fetches the selected values of an object in a payload. It returns null if there is no object, with the
 * warning RESULT_MISSING if the write has not failed. An object whose action has ended is read again, because the response precedes
 * the end. It throws when the action failed and the object cannot be read, because the object may not exist.
 */
const createShow =
  (resource: ResourceModel, kind: ResultKind, coordinate: string) =>
  async (
    entity: Entity | null,
    outcome: WriteOutcome,
    operation: Operation,
    info: GraphQLResolveInfo,
  ): Promise<Entity | null> => {
    const isEmpty = entity === null || Object.keys(entity.values).length === 0;
    const isOwn = kind === 'own';
    const ids = isOwn || resource.identity.show === null ? null : entity?.ids;
    if (ids && (isEmpty || outcome !== null))
      return readObject(resource, pathIdsOf(resource.identity, ids), operation, info, outcome);
    if (isEmpty && outcome !== 'FAILED') operation.warn('RESULT_MISSING', coordinate);
    if (isEmpty || (outcome === 'FAILED' && !isOwn)) return null;
    if (isOwn) return entity;
    const projection = projectionFor(resource, info);
    if (needsFetchOrLabel(entity, projection)) await operation.complete(entity, projection);
    return entity;
  };

function addExtra(
  assembly: Assembly,
  ref: PayloadRef,
  { resource, action }: Placement,
  fields: UniqueNames,
  parameter: Parameter,
): void {
  const name = fields.claim(outputNameOf(parameter), `${action.scope} output.${parameter.name}`);
  const output = outputFieldOf(assembly, resource, parameter, `${ref.name}.${name}`);
  assembly.builder.objectField(ref, name, (t) =>
    t.field({
      type: output.type as 'JSON',
      nullable: nullable(output.type),
      ...describeParameter(parameter, 'output'),
      resolve: ({ extraOutputs }, _args, { operation }, info) =>
        output.resolve(extraOutputs[parameter.name], NO_PATH_IDS, operation, info),
    }),
  );
}

/** Names a result: the object of a cancelled action, an output that is no object of the resource, or the object. */
function nameOfResult(resource: ResourceModel, action: Action, kind: 'resource' | 'own'): string {
  if (isCancel(action)) return 'target';
  if (kind === 'own') return returnsRows(action) ? 'results' : 'result';
  // The last segment of the path, in plural for a list.
  return fieldNameOf(returnsRows(action) ? pluralOf(action) : (resource.path.at(-1) ?? ''));
}

function describeObject({ path, description }: ResourceModel, isList: boolean): string {
  const name = wordsFor(path.at(-1) ?? '', description ?? '');
  return isList ? `Each ${name} that the write answers.` : `The ${name} after the write.`;
}

/** Declares a payload type with `userErrors` and `query`. */
export const createPayload = <Shape extends Outcome>(
  { builder, query, userErrorOf }: Pick<ExtensionParts, 'builder' | 'query' | 'userErrorOf'>,
  name: string,
  description: string,
) =>
  builder.objectRef<Shape>(name).implement({
    description,
    fields: (t) => ({
      userErrors: t.field({
        type: [userErrorOf(builder)],
        nullable: { list: false, items: false },
        description:
          'The reasons why the API or the input rules rejected the write, or why its action failed. Empty if there are none.',
        resolve: ({ userErrors }) => [...userErrors],
      }),
      query: t.field({
        type: query,
        nullable: false,
        description: 'The query root, for reading data after the write.',
        resolve: () => ROOT,
      }),
    }),
  });

/** Declares the type `UserError` and the enum of its codes. */
export function createUserErrorType(builder: Builder) {
  const code = builder.enumType('UserErrorCode', {
    description: 'The possible reasons why a write is rejected or its action fails.',
    values: Object.fromEntries(
      Object.entries(USER_ERROR_CODES).map(([value, description]) => [value, { description }]),
    ),
  });
  return builder.objectRef<UserErrorShape>('UserError').implement({
    description:
      'A reason why a write was rejected or its action failed. It is part of the payload, not a GraphQL error.',
    fields: (t) => ({
      message: t.exposeString('message', {
        nullable: false,
        description: 'A human-readable message in the wording of the API.',
      }),
      code: t.field({
        type: code,
        nullable: false,
        description: 'The reason, for programs.',
        resolve: (error) => error.code,
      }),
      path: t.stringList({
        description:
          'The path to the input that caused the error. Null if the error does not belong to one input.',
        resolve: ({ path }) => (path === null ? null : [...path]),
      }),
      parameter: t.exposeString('parameter', {
        description: 'The name of the parameter that caused the error in the management API.',
      }),
    }),
  });
}
