// Derives from a selection what an object needs, and begins the reads that need not wait for the object.
import { type FieldNode, type GraphQLResolveInfo, getArgumentValues, isObjectType } from 'graphql';
import type { CompletionRequest, ShownValue } from '../../loaders/completion.ts';
import { Entity } from '../../loaders/entity.ts';
import { type Ids, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { ResourceParameter } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { ResourceModel } from '../model/model.ts';
import { coordinateOf, selectionOf } from './selection.ts';

/** The output parameters and includes that a selection needs. */
export interface Projection extends CompletionRequest {
  /** Selected fields that make calls of their own, and may begin them early. */
  readonly calling: CallingFields;
  /** The parameters that `label` may show; null if it is not selected. No object is fetched for them alone, see `lacksLabel`. */
  readonly labels: readonly string[] | null;
}

/**
 * Maximum number of associations in one projection. Further associations are fetched when they are resolved. Without a limit,
 * nested fragments could double the projection at each level, and each include makes the URL longer.
 */
const MAX_ASSOCIATIONS = 100;

/** The output parameter of a field, or those that `label` may show. Fields that make their own upstream call have no source. */
export type FieldSource =
  | {
      readonly parameter: string;
      /** A further parameter that the field needs. */
      readonly namedBy?: string;
      readonly association?: { readonly parameter: ResourceParameter; readonly target: ResourceModel };
    }
  | { readonly labels: readonly string[] };

/** The sources of the fields of all resource types. */
export class FieldSources {
  /** The fields whose reads may begin before their object has arrived. */
  readonly early = new EarlyFields();
  readonly #byType = new Map<ResourceModel, Map<string, FieldSource>>();
  readonly #projections = new WeakMap<readonly FieldNode[], Map<ResourceModel, Projection>>();

  /** Records the source of a field. */
  set(type: ResourceModel, field: string, source: FieldSource): void {
    const fields = this.#byType.get(type) ?? new Map<string, FieldSource>();
    fields.set(field, source);
    this.#byType.set(type, fields);
  }

  /**
   * Returns the projection for the selection of a field. It is kept for the field nodes, because all rows of a list have the same
   * array of them, and so have all executions of a plan. No two executions in which `@skip` and `@include` differ share an array.
   */
  projectionFor(type: ResourceModel, info: GraphQLResolveInfo): Projection {
    const nodes = info.fieldNodes;
    let projections = this.#projections.get(nodes);
    if (projections === undefined) {
      projections = new Map();
      this.#projections.set(nodes, projections);
    }
    let projection = projections.get(type);
    if (projection === undefined) {
      projection = this.projectionBelow(type, nodes, info);
      projections.set(type, projection);
    }
    return projection;
  }

  /**
   * Fetches the selected values that an object lacks. Returns the object itself if it lacks none. Never rejects: the object throws the
   * error when a value is read.
   */
  complete(
    entity: Entity,
    type: ResourceModel,
    operation: Operation,
    info: GraphQLResolveInfo,
  ): Entity | Promise<Entity> {
    const projection = this.projectionFor(type, info);
    if (!needsFetch(entity, projection)) return entity;
    return operation.complete(entity, projection).then(() => entity);
  }

  /** Fetches an object with the operation's loader, which fetches each object once. Returns null if there is no `show`. */
  async load(
    type: ResourceModel,
    ids: Ids,
    operation: Operation,
    info: GraphQLResolveInfo,
  ): Promise<Entity | null> {
    const { identity } = type;
    const projection = this.projectionFor(type, info);
    const begin = (): void => this.early.begin(type, ids, projection.calling, operation, info);
    const shown = await operation.loader(identity)?.load(ids, projection, 'OBJECT', begin);
    if (shown === undefined) return null;
    const { values, meta } = shown;
    return new Entity(identity, 'show', values, { meta, pathIds: pathIdsOf(identity, ids) });
  }

  /** Begins to load an object, as `load` does, before the field that asks for it is resolved. */
  prefetch(type: ResourceModel, ids: Ids, operation: Operation, info: GraphQLResolveInfo): void {
    const projection = this.projectionFor(type, info);
    const begin = (): void => this.early.begin(type, ids, projection.calling, operation, info);
    operation.loader(type.identity)?.prefetch(ids, projection, begin);
  }

  /**
   * Returns the projection for the selection of field nodes, e.g. those of a connection's rows.
   * @param budget The number of associations that the projection may still contain.
   */
  projectionBelow(
    type: ResourceModel,
    nodes: readonly FieldNode[],
    info: GraphQLResolveInfo,
    budget = { left: MAX_ASSOCIATIONS },
  ): Projection {
    const coordinates = new Map<string, string>();
    const needs = new Map<string, ReadonlySet<string>>();
    const calling: (readonly [string, readonly FieldNode[]])[] = [];
    let labels: readonly string[] | null = null;
    for (const [field, below] of selectionOf(nodes, type.typeName, info)) {
      const source = this.#byType.get(type)?.get(field);
      if (source === undefined) {
        if (this.early.has(type, field)) calling.push([field, below]);
        continue;
      }
      if ('labels' in source) {
        labels = source.labels;
        continue;
      }
      for (const parameter of [source.parameter, source.namedBy ?? source.parameter])
        coordinates.set(parameter, `${type.typeName}.${field}`);
      if (source.association === undefined || budget.left === 0) continue;
      budget.left -= 1;
      const { target, parameter } = source.association;
      const child = this.projectionBelow(target, below, info, budget);
      if (isInAssociation(child, parameter)) continue;
      if (child.needs.size === 0) needs.set(parameter.name, child.parameters);
      for (const [include, values] of child.needs) needs.set(`${parameter.name}__${include}`, values);
    }
    return {
      parameters: new Set(coordinates.keys()),
      shown: shownOf(type, coordinates),
      calling,
      labels,
      includes: [...needs.keys()],
      needs,
      coordinate: coordinateOf(info),
    };
  }
}

/** Whether a projection needs only the ID and the label that an association contains. */
function isInAssociation({ parameters }: Projection, { valueId, valueLabel }: ResourceParameter): boolean {
  return [...parameters].every((name) => name === valueId || name === valueLabel);
}

/** Returns those of the parameters that `show` answers, with the coordinates of their fields. */
function shownOf(
  { identity: { show } }: ResourceModel,
  coordinates: ReadonlyMap<string, string>,
): readonly ShownValue[] {
  return (show?.output.parameters ?? []).flatMap(({ name: parameter }) => {
    const coordinate = coordinates.get(parameter);
    return coordinate === undefined ? [] : [{ parameter, coordinate }];
  });
}

/** Whether an object lacks parts of the projection that `show` can supply. */
export function needsFetch(entity: Entity, { parameters, shown }: Projection): boolean {
  if (entity.source === 'show') return false;
  if (entity.identity.show === null)
    return entity.source === 'association' && [...parameters].some((name) => !entity.has(name));
  return shown.some(({ parameter }) => !entity.has(parameter));
}

/**
 * Whether an object lacks a selected label that `show` can supply. It is fetched only where a write has answered nothing else: rows and
 * associations without a label would cost a call each.
 */
export function lacksLabel(entity: Entity, { labels }: Projection): boolean {
  if (labels === null || entity.label !== undefined || labels.some((name) => entity.has(name))) return false;
  const shown = entity.identity.show?.output.parameters ?? [];
  return shown.some(({ name }) => labels.includes(name));
}

/**
 * Begins what a field will read, as far as the ids of its object determine it.
 * @param object The object on which the field stands. Only its ids are known.
 * @throws What the field's resolver will throw, too.
 */
export type Begin = (
  object: Entity,
  given: JsonObject,
  operation: Operation,
  info: GraphQLResolveInfo,
) => void;

/** The selected fields of an object that make calls of their own, by name. */
export type CallingFields = readonly (readonly [name: string, nodes: readonly FieldNode[]])[];

/**
 * The fields of one schema that need only the ids of their object. Where a client gives these ids, the reads of the fields begin
 * together with that of the object. What they read is used only by the fields themselves, which are resolved once the object has
 * arrived. Errors and warnings arise there, so a missing object has no others.
 */
class EarlyFields {
  readonly #fields = new Map<ResourceModel, Map<string, Begin>>();

  /** Adds a field of a type. */
  add(type: ResourceModel, field: string, begin: Begin): void {
    const fields = this.#fields.get(type) ?? new Map<string, Begin>();
    this.#fields.set(type, fields.set(field, begin));
  }

  has(type: ResourceModel, field: string): boolean {
    return this.#fields.get(type)?.has(field) ?? false;
  }

  /** Begins the reads of the selected fields of an object. */
  begin(
    type: ResourceModel,
    ids: Ids,
    fields: CallingFields,
    operation: Operation,
    info: GraphQLResolveInfo,
  ): void {
    if (fields.length === 0 || !operation.savings.earlyReads) return;
    const parentType = info.schema.getType(type.typeName);
    if (!isObjectType(parentType)) return;
    const object = new Entity(type.identity, 'association', {}, { pathIds: pathIdsOf(type.identity, ids) });
    for (const [fieldName, nodes] of fields) {
      const begin = this.#fields.get(type)?.get(fieldName);
      const field = parentType.getFields()[fieldName];
      if (begin === undefined || field === undefined) continue;
      for (const fieldNodes of byResponseKey(nodes)) {
        const { schema, fragments, rootValue, operation: document, variableValues, path } = info;
        const request = { schema, fragments, rootValue, operation: document, variableValues, path };
        const ownInfo = { fieldName, fieldNodes, returnType: field.type, parentType, ...request };
        try {
          // The nodes of one response key have equal arguments.
          const [node] = fieldNodes;
          if (node !== undefined)
            begin(object, getArgumentValues(field, node, variableValues), operation, ownInfo);
        } catch {
          // The field's resolver throws the error, if the object exists.
        }
      }
    }
  }
}

/** Groups the nodes of one field by the names that they have in the result. */
function byResponseKey(nodes: readonly FieldNode[]): Iterable<readonly FieldNode[]> {
  const groups = new Map<string, FieldNode[]>();
  for (const node of nodes) {
    const key = node.alias?.value ?? node.name.value;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [node]);
    else group.push(node);
  }
  return groups.values();
}
