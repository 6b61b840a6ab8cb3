// Creates the payload types of mutations.
import type { GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { NO_PATH_IDS } from '../../loaders/identity.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { codeOf, describeParameter, wordsFor } from '../descriptions/descriptions.ts';
import { returnsRows } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import { isCancel, isDelete, type Placement } from '../model/placement.ts';
import { FieldNames } from '../names/field-names.ts';
import { avoidReserved, fieldNameOf, outputNameOf, withResource } from '../names/naming.ts';
import { pluralOf } from '../names/read-names.ts';
import { type Result, type ResultKind, type Results, showResult } from '../resolve/write-results.ts';
import { outputFieldOf } from './object-fields.ts';
import type { Outcome, OutcomeFields } from './outcome-fields.ts';
import { nullable } from './outputs.ts';

/** The outcome of a write. */
export interface PayloadShape extends Outcome {
  readonly result: Results;
  /** Output parameters that are not part of the resource. */
  readonly extraOutputs: JsonObject;
  readonly deletedId: string | null;
  readonly actionState: Entity | null;
}

/** What payloads have beside the outputs of their actions. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['deletedId', 'actionState', 'userErrors', 'query']);
/** Protocol parameter that names the action of the next login step. */
const NEXT_ACTION = 'next_action';

type PayloadRef = ReturnType<typeof OutcomeFields.prototype.createPayload<PayloadShape>>;

/** The payload types of one schema. */
export class PayloadTypes {
  readonly #assembly: Assembly;
  /** Mutation names by the scopes of their actions. */
  readonly #mutations = new Map<string, string>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  /**
   * Declares the payload type of a write.
   * @param mutation Name of the mutation.
   * @returns The type and the kind of its result.
   */
  create(placement: Placement, mutation: string) {
    const { names, outcome } = this.#assembly;
    const { resource, action } = placement;
    const description = `Payload of ${codeOf(action.scope)}.`;
    const name = names.nameFor(resource, 'payload', action.name);
    const ref = outcome.createPayload<PayloadShape>(name, description);
    const fields = new FieldNames(name, this.#assembly, OWN_FIELDS);
    this.#mutations.set(action.scope, mutation);
    if (isDelete(action)) this.#addDeletedId(ref);
    if (action.blocking) this.#addActionState(ref);
    const { parameters } = action.output;
    const extras = parameters.length === 0 ? null : this.#assembly.types.extrasOf(action, resource);
    const kind = this.#kindOf(placement, extras !== null);
    if (kind !== 'none') this.#addResult(ref, placement, fields, kind);
    for (const parameter of extras ?? []) this.#addExtra(ref, placement, fields, parameter);
    if (parameters.some((parameter) => parameter.name === NEXT_ACTION))
      this.#addNextMutation(ref, action, fields);
    return { ref, kind };
  }

  #kindOf({ resource, action }: Placement, isObject: boolean): ResultKind {
    if (action.output.parameters.length > 0) return isObject ? 'resource' : 'own';
    const { show, placeholders } = resource.identity;
    const isKnown = placeholders.every((placeholder) => action.path.placeholders.includes(placeholder));
    return show !== null && isKnown && !isDelete(action) ? 'resource' : 'none';
  }

  #addDeletedId(ref: PayloadRef): void {
    this.#assembly.builder.objectField(ref, 'deletedId', (t) =>
      t.id({
        description: 'The global ID of the deleted object. Null if it was not deleted.',
        resolve: ({ deletedId }) => deletedId,
      }),
    );
  }

  #addActionState(ref: PayloadRef): void {
    const { builder, sources, types } = this.#assembly;
    const state = types.actionState;
    if (state === null) return;
    builder.objectField(ref, 'actionState', (t) =>
      t.field({
        type: state.ref,
        description:
          'The state of the action that this call started. Null if the call did not start a blocking action.',
        resolve: ({ actionState }, _args, { operation }, info) =>
          actionState && sources.complete(actionState, state.resource, operation, info),
      }),
    );
  }

  /** A login can have several steps, each of which names the next one (specification: Token lifecycle). */
  #addNextMutation(ref: PayloadRef, action: Action, fields: FieldNames): void {
    this.#assembly.builder.objectField(ref, fields.claim('nextMutation', action.scope), (t) =>
      t.string({
        description: 'The mutation that performs the next login step. Null if the login is complete.',
        resolve: ({ extraOutputs }) => {
          if (extraOutputs['complete'] === true) return null;
          const next = `${action.resource.join('.')}#${String(extraOutputs[NEXT_ACTION])}`;
          return this.#mutations.get(next) ?? null;
        },
      }),
    );
  }

  #addResult(ref: PayloadRef, placement: Placement, fields: FieldNames, kind: 'resource' | 'own'): void {
    const { builder, types } = this.#assembly;
    const { resource, action } = placement;
    const type = kind === 'resource' ? types.typeFor(resource)?.ref : types.outputTypeFor(resource, action);
    if (type === undefined) return;
    const name = fields.claim(
      avoidReserved(nameOfResult(resource, action, kind), OWN_FIELDS),
      action.scope,
      withResource,
    );
    const place = { resource, kind, coordinate: `${ref.name}.${name}` };
    const isList = returnsRows(action);
    // Pothos cannot know whether the field is a list.
    const resolve = (
      { result }: PayloadShape,
      _args: unknown,
      { operation }: SchemaContext,
      info: GraphQLResolveInfo,
    ) => {
      const show = (single: Result | null) => showResult(this.#assembly, single, place, operation, info);
      return result !== null && 'length' in result ? Promise.all(result.map(show)) : show(result);
    };
    const options = {
      type: (isList ? [type] : type) as typeof type,
      nullable: nullable(isList ? [type] : type),
      resolve: resolve as never,
    };
    const description =
      kind === 'own' ? `The output of ${codeOf(action.scope)}.` : describeObject(resource, isList);
    builder.objectField(ref, name, (t) => t.field({ ...options, description }));
  }

  #addExtra(
    ref: PayloadRef,
    { resource, action }: Placement,
    fields: FieldNames,
    parameter: Parameter,
  ): void {
    const { builder } = this.#assembly;
    const name = fields.claim(outputNameOf(parameter), `${action.scope} output.${parameter.name}`);
    const output = outputFieldOf(this.#assembly, resource, parameter, `${ref.name}.${name}`);
    builder.objectField(ref, name, (t) =>
      t.field({
        type: output.type as 'JSON',
        nullable: nullable(output.type),
        ...describeParameter(parameter, 'output', output.hint),
        resolve: ({ extraOutputs }, _args, { operation }, info) =>
          output.resolve(extraOutputs[parameter.name], NO_PATH_IDS, operation, info),
      }),
    );
  }
}

/** Names a result: the object of a cancelled action, an output that is no object of the resource, or the object. */
function nameOfResult(resource: ResourceModel, action: Action, kind: 'resource' | 'own'): string {
  if (isCancel(action)) return 'target';
  if (kind === 'own') return returnsRows(action) ? 'results' : 'result';
  return resultNameOf(resource, action);
}

function describeObject({ path, description }: ResourceModel, isList: boolean): string {
  const name = wordsFor(path.at(-1) ?? '', description ?? '');
  return isList ? `Each ${name} that the write answers.` : `The ${name} after the write.`;
}

/** Returns the last segment of the resource's path, in plural for a list. */
function resultNameOf({ path }: ResourceModel, action: Action): string {
  return fieldNameOf(returnsRows(action) ? pluralOf(action) : (path.at(-1) ?? ''));
}
