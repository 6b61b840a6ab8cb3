// Derives from a selection what an object needs, and completes the objects of an output by it.
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { Entity, type EntitySource } from '../../loaders/entity.ts';
import type { Ids, PathIds } from '../../loaders/identity.ts';
import type { CompletionRequest, ShownValue } from '../../loaders/object-loader.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import { isOnlyId, type ResourceModel } from '../model/model.ts';
import { isSameType } from '../model/parameters.ts';
import { coordinateOf, selectionOf } from './selection.ts';

/** The output parameters and includes that a selection needs. */
export interface Projection extends CompletionRequest {
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
    if (identity.show === null) return null;
    return operation.read(identity, ids, this.projectionFor(type, info));
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
    let labels: readonly string[] | null = null;
    for (const [field, below] of selectionOf(nodes, type.typeName, info)) {
      const source = this.#byType.get(type)?.get(field);
      if (source === undefined) continue;
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

/** Whether an object lacks parts of the projection that `show` describes. */
export function needsFetch(entity: Entity, { parameters, shown }: Projection): boolean {
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

/** Converts the output of one action to entities, and fetches selected values that the output does not contain. */
export class RowReader {
  readonly #assembly: Assembly;
  readonly #resource: ResourceModel;
  /** Whether the output is an object of the resource. */
  readonly #fits: boolean;
  readonly #source: EntitySource;
  /** Output parameters whose type differs from the resource's. Their values are ignored, so that `show` supplies them. */
  readonly #otherTyped: ReadonlySet<string>;
  readonly #supportsIncludes: boolean;

  constructor(assembly: Assembly, resource: ResourceModel, action: Action) {
    this.#assembly = assembly;
    this.#resource = resource;
    this.#fits = assembly.types.fits(resource, action);
    this.#source = action.name === 'show' || !this.#fits ? 'show' : 'row';
    const otherTyped = action.output.parameters.filter(
      (parameter) =>
        !isOnlyId(resource, parameter) &&
        !isSameType(parameter, resource.parameters.get(parameter.name) ?? parameter),
    );
    this.#otherTyped = new Set(this.#source === 'row' ? otherTyped.map(({ name }) => name) : []);
    this.#supportsIncludes = action.metaInput.has('includes');
  }

  /** Returns what the selection of a field needs. Null if the output is not an object of the resource. */
  projectionFor(info: GraphQLResolveInfo): Projection | null {
    return this.#fits ? this.#assembly.sources.projectionFor(this.#resource, info) : null;
  }

  /** Returns what the selection of field nodes needs, e.g. of those of a connection's rows. Null if the output is not an object of the resource. */
  projectionBelow(nodes: readonly FieldNode[], info: GraphQLResolveInfo): Projection | null {
    return this.#fits ? this.#assembly.sources.projectionBelow(this.#resource, nodes, info) : null;
  }

  /** Returns the associations to include in the response. */
  includes(projection: Projection | null): readonly string[] {
    return this.#supportsIncludes ? [...new Set(projection?.includes)].sort() : [];
  }

  /**
   * Converts one object of the output.
   * @param meta Metadata of the response. Rows of a list contain their own metadata.
   */
  #read(row: JsonObject, pathIds: PathIds, meta?: unknown): Entity {
    const values =
      this.#otherTyped.size === 0
        ? row
        : Object.fromEntries(Object.entries(row).filter(([key]) => !this.#otherTyped.has(key)));
    const options = { meta: meta ?? row[this.#assembly.metaNamespace], pathIds };
    return new Entity(this.#resource.identity, this.#source, values, options);
  }

  /**
   * Converts the objects of the output, and fetches the selected values that they lack.
   * @param meta Metadata of the response to a read of one object.
   */
  async readAll(
    rows: readonly JsonObject[],
    { pathIds, meta }: { readonly pathIds: PathIds; readonly meta?: unknown },
    projection: Projection | null,
    operation: Operation,
  ): Promise<readonly Entity[]> {
    const readRows = (): readonly Entity[] => rows.map((row) => this.#read(row, pathIds, meta));
    if (projection === null) return readRows();
    operation.prime(this.#resource.identity, readRows);
    return complete(readRows(), projection, operation);
  }
}

/**
 * Fetches the selected values that entities lack. It is not a part of `readAll`, because the function that is primed there would hold
 * the entities, too.
 */
async function complete(
  entities: readonly Entity[],
  projection: Projection,
  operation: Operation,
): Promise<readonly Entity[]> {
  const incomplete = entities.filter((entity) => needsFetch(entity, projection));
  await Promise.all(incomplete.map((entity) => operation.complete(entity, projection)));
  return entities;
}
