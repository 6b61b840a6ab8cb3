// Derives from a selection what an object needs.
import { type FieldNode, type GraphQLResolveInfo, isObjectType } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import type { CompletionRequest, Operation, ShownValue } from '../../loaders/operation.ts';
import type { ResourceParameter } from '../../upstream/description/description.ts';
import type { ResourceModel } from '../model/model.ts';
import { readOrigin } from '../origin.ts';
import { coordinateOf, selectionOf } from './selection.ts';

/** The output parameters and includes that a selection needs. */
export interface Projection extends CompletionRequest {
  /** The parameters that `label` may show; null if it is not selected. See `needsFetchOrLabel`. */
  readonly labels: readonly string[] | null;
}

/**
 * Maximum number of associations in one projection. Further associations are fetched when they are resolved. Without a limit,
 * nested fragments could double the projection at each level, and each include makes the URL longer.
 */
const MAX_ASSOCIATIONS = 100;

const projections = new WeakMap<readonly FieldNode[], Map<ResourceModel, Projection>>();

/**
 * Returns the projection for the selection of a field. It is kept for the field nodes, because all rows of a list have the same
 * array of them, and so have all executions of a plan. No two executions in which `@skip` and `@include` differ share an array.
 */
export function projectionFor(type: ResourceModel, info: GraphQLResolveInfo): Projection {
  const nodes = info.fieldNodes;
  const known = projections.get(nodes)?.get(type);
  if (known !== undefined) return known;
  const projection = projectionBelow(type, nodes, info);
  const ofNodes = projections.get(nodes) ?? new Map<ResourceModel, Projection>();
  projections.set(nodes, ofNodes.set(type, projection));
  return projection;
}

/**
 * Fetches the selected values that an object lacks. Returns the object itself if it lacks none. Never rejects: the object throws the
 * error when a value is read.
 */
export function complete(
  entity: Entity,
  type: ResourceModel,
  operation: Operation,
  info: GraphQLResolveInfo,
): Entity | Promise<Entity> {
  const projection = projectionFor(type, info);
  if (!needsFetch(entity, projection)) return entity;
  return operation.complete(entity, projection).then(() => entity);
}

/**
 * Returns the projection for the selection of field nodes, e.g. those of a connection's rows.
 * @param budget The number of associations that the projection may still contain.
 */
export function projectionBelow(
  type: ResourceModel,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
  budget = { left: MAX_ASSOCIATIONS },
): Projection {
  const coordinates = new Map<string, string>();
  const needs = new Map<string, ReadonlySet<string>>();
  let labels: readonly string[] | null = null;
  const objectType = info.schema.getType(type.typeName);
  const fields = isObjectType(objectType) ? objectType.getFields() : {};
  for (const [field, below] of selectionOf(nodes, type.typeName, info)) {
    const { source } = readOrigin(fields[field] ?? {});
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
    const child = projectionBelow(target, below, info, budget);
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
 * Whether an object of which a write or a reference gives only the ID lacks parts of the projection, or a selected label that `show` can
 * supply. Other objects are not fetched for a label: rows and associations without one would cost a call each.
 */
export function needsFetchOrLabel(entity: Entity, projection: Projection): boolean {
  const { labels } = projection;
  if (needsFetch(entity, projection)) return true;
  if (labels === null || entity.label !== undefined || labels.some((name) => entity.has(name))) return false;
  const shown = entity.identity.show?.output.parameters ?? [];
  return shown.some(({ name }) => labels.includes(name));
}
