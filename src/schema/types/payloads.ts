// Creates the payload types of mutations.

import type { GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';
import { lastFixedSegment } from '../../upstream/http/path-template.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { returnsList } from '../model/list-paging.ts';
import { isSameType, type ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { FieldNames } from '../names/field-names.ts';
import { fieldNameOf, listNameOf } from '../names/naming.ts';
import { needsFetch } from '../resolve/projection.ts';
import { type Result, type ResultKind, type Results, showResult } from '../resolve/write-results.ts';
import { describeParameter } from './descriptions.ts';
import type { Outcome, OutcomeFields } from './outcome-fields.ts';
import { outputValueOf } from './output-values.ts';

/** The outcome of a write. */
export interface PayloadShape extends Outcome {
  readonly result: Results;
  /** Output parameters that are not part of the resource. */
  readonly extraOutputs: JsonObject;
  readonly deletedId: string | null;
  readonly actionState: Entity | null;
}

/** Protocol parameter that names the action of the next login step. */
const NEXT_ACTION = 'next_action';

type PayloadRef = ReturnType<typeof OutcomeFields.prototype.createPayload<PayloadShape>>;

/** The payload types of one schema. */
export class PayloadTypes {
  readonly #assembly: Assembly;
  readonly #outcome: OutcomeFields;
  /** Mutation names by the scopes of their actions. */
  readonly #mutations = new Map<string, string>();

  constructor(assembly: Assembly, outcome: OutcomeFields) {
    this.#assembly = assembly;
    this.#outcome = outcome;
  }

  /** Records which mutation calls an action. */
  nameMutation(action: Action, name: string): void {
    this.#mutations.set(action.scope, name);
  }

  /** Returns what the payload of a write shows as its result. */
  resultKindFor({ resource, action }: Placement): ResultKind {
    const { types } = this.#assembly;
    if (action.output.parameters.length > 0) {
      return types.fits(resource, action) || extrasOf(this.#assembly, resource, action) !== null
        ? 'resource'
        : 'own';
    }
    const { show, placeholders } = resource.identity;
    const isKnown = placeholders.every((placeholder) => action.path.placeholders.includes(placeholder));
    return show !== null && isKnown && !isDelete(action) ? 'resource' : 'none';
  }

  /**
   * Declares the payload type of a write.
   * @param resultField Name of the result field. Null: the name of the resource.
   */
  create(placement: Placement, resultField: string | null) {
    const { builder, names, types, model } = this.#assembly;
    const { resource, action } = placement;
    const ref = this.#outcome.createPayload<PayloadShape>(
      names.nameFor(resource, 'payload', action.name),
      `Payload of \`${action.scope}\`.`,
    );
    const fields = new FieldNames(ref.name, this.#assembly.report);
    for (const name of ['deletedId', 'actionState', 'userErrors', 'query']) fields.claim(name, action.scope);
    if (isDelete(action)) {
      builder.objectField(ref, 'deletedId', (t) =>
        t.id({
          description: 'The global ID of the deleted object. Null if it was not deleted.',
          resolve: ({ deletedId }) => deletedId,
        }),
      );
    }
    const state = model.get('action_state');
    const stateType = state === undefined ? null : types.typeFor(state);
    if (action.blocking && state !== undefined && stateType !== null) {
      builder.objectField(ref, 'actionState', (t) =>
        t.field({
          type: stateType.ref,
          description:
            'The state of the action that this call started. Null if the call did not start a blocking action.',
          resolve: async ({ actionState }, _args, { operation }, info) =>
            actionState === null ? null : this.#complete(state, actionState, operation, info),
        }),
      );
    }
    this.#addResult(ref, placement, fields, resultField);
    if (action.output.parameters.some(({ name }) => name === NEXT_ACTION))
      this.#addNextMutation(ref, action, fields);
    return ref;
  }

  /** A login can have several steps, each of which names the next one (specification: Token lifecycle). */
  #addNextMutation(ref: PayloadRef, action: Action, fields: FieldNames): void {
    const { builder } = this.#assembly;
    builder.objectField(ref, fields.claim('nextMutation', action.scope), (t) =>
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

  #addResult(ref: PayloadRef, placement: Placement, fields: FieldNames, resultField: string | null): void {
    const { builder, types, enums } = this.#assembly;
    const { resource, action } = placement;
    const kind = this.resultKindFor(placement);
    if (kind === 'none') return;
    const extras = extrasOf(this.#assembly, resource, action) ?? [];
    const type = kind === 'resource' ? types.typeFor(resource)?.ref : types.outputTypeFor(resource, action);
    if (type === undefined) return;
    const name = fields.claim(resultField ?? resultNameOf(resource, action), action.scope);
    const place = { resource, kind, coordinate: `${ref.name}.${name}` };
    const isList = returnsList(action) && action.output.parameters.length > 0;
    builder.objectField(ref, name, (t) =>
      t.field({
        type: (isList ? [type] : type) as typeof type,
        nullable: (isList ? { list: true, items: true } : true) as true,
        resolve: (async (
          { result }: PayloadShape,
          _args: unknown,
          { operation }: { operation: Operation },
          info: GraphQLResolveInfo,
        ) => {
          const show = (single: Result | null) => showResult(this.#assembly, single, place, operation, info);
          return result !== null && 'length' in result ? Promise.all(result.map(show)) : show(result);
        }) as never,
      }),
    );
    for (const parameter of extras) {
      const extra = fields.claim(fieldNameOf(parameter.name), `${action.scope} output.${parameter.name}`);
      builder.objectField(ref, extra, (t) => {
        const { type, read } = outputValueOf(enums, resource, parameter);
        return t.field({
          type: type as 'JSON',
          ...describeParameter(parameter, 'output'),
          resolve: ({ extraOutputs }, _args, { operation }) =>
            read(extraOutputs[parameter.name], operation, `${ref.name}.${extra}`),
        });
      });
    }
  }

  /** Fetches the selected fields that the entity does not contain. */
  async #complete(
    resource: ResourceModel,
    entity: Entity,
    operation: Operation,
    info: GraphQLResolveInfo,
  ): Promise<Entity> {
    const projection = this.#assembly.sources.projectionFor(resource, info, operation);
    if (needsFetch(entity, projection)) await operation.complete(entity, projection);
    return entity;
  }
}

/** Whether an action deletes its object. */
export function isDelete(action: Action): boolean {
  return action.method === 'DELETE' || action.name === 'delete';
}

/** Returns the last segment of the resource's path, in plural for a list. */
function resultNameOf({ path }: ResourceModel, action: Action): string {
  const singular = fieldNameOf(path.at(-1) ?? '');
  if (!returnsList(action) || action.output.parameters.length === 0) return singular;
  return listNameOf(fieldNameOf(action.output.namespace ?? lastFixedSegment(action.path)), singular);
}

/**
 * Returns the output parameters that an object of the resource does not have, e.g. a secret that is shown once.
 * Returns null if there are none, or if the output is not an object of the resource.
 */
function extrasOf({ types }: Assembly, resource: ResourceModel, action: Action): readonly Parameter[] | null {
  const isKnown = (parameter: Parameter): boolean => resource.parameters.has(parameter.name);
  const extras = action.output.parameters.filter((parameter) => !isKnown(parameter));
  const shared = action.output.parameters.filter(isKnown);
  const isObject =
    shared.length > 0 &&
    shared.every((parameter) => isSameType(parameter, resource.parameters.get(parameter.name) ?? parameter));
  if (!isObject || extras.length === 0) return null;
  return types.fits(resource, { ...action, output: { ...action.output, parameters: shared } })
    ? extras
    : null;
}
