// Reads the output of one action as objects, and fetches the selected values that it does not contain.
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { Entity, type EntitySource } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { CallReason } from '../../loaders/operation-cost.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import { isOnlyId, type ResourceModel } from '../model/model.ts';
import { isSameType } from '../model/parameters.ts';
import { needsFetch, type Projection, projectionBelow } from './projection.ts';
import { coordinateOf } from './selection.ts';

/** The parts of a selection that matter for a call. */
export interface SelectedRows {
  /** The field nodes that select objects. */
  readonly nodes: readonly FieldNode[];
  /** Whether the total of a list is selected. */
  readonly count: boolean;
}

/** What one selection of a field needs of its action. */
interface FieldNeeds extends Pick<SelectedRows, 'count'> {
  /** Coordinate of the field, e.g. `Query.books`. */
  readonly coordinate: string;
  /** Null if the output is not an object of the resource. */
  readonly projection: Projection | null;
  /** The associations to include in the response. */
  readonly includes: readonly string[];
  readonly reason: CallReason;
}

const selectField = ({ fieldNodes }: GraphQLResolveInfo): SelectedRows => ({
  nodes: fieldNodes,
  count: false,
});

/**
 * Creates the reader of an action's output for one field.
 * @param select Finds what a selection needs. Default: the field nodes select the objects.
 */
export function createOutputReader(
  { types, metaNamespace }: Assembly,
  resource: ResourceModel,
  action: Action,
  purpose: CallReason['reason'],
  select = selectField,
) {
  const { identity } = resource;
  const fits = types.fits(resource, action);
  const source: EntitySource = action.name === 'show' || !fits ? 'show' : 'row';
  const otherTyped = action.output.parameters.filter(
    (parameter) =>
      !isOnlyId(resource, parameter) &&
      !isSameType(parameter, resource.parameters.get(parameter.name) ?? parameter),
  );
  /** Outputs whose type differs from the resource's. Their values are ignored, so that `show` supplies them. */
  const ignored = new Set(source === 'row' ? otherTyped.map(({ name }) => name) : []);
  const known = new WeakMap<readonly FieldNode[], FieldNeeds>();

  const toEntity = (row: JsonObject, pathIds: PathIds, meta: unknown): Entity => {
    const values =
      ignored.size === 0 ? row : Object.fromEntries(Object.entries(row).filter(([key]) => !ignored.has(key)));
    return new Entity(identity, source, values, { meta: meta ?? row[metaNamespace], pathIds });
  };
  return {
    /** Returns what a selection needs. It is kept for the field nodes, as a projection is. */
    needsOf(info: GraphQLResolveInfo): FieldNeeds {
      const kept = known.get(info.fieldNodes);
      if (kept !== undefined) return kept;
      const { nodes, count } = select(info);
      const projection = fits ? projectionBelow(resource, nodes, info) : null;
      const coordinate = coordinateOf(info);
      const includes = action.metaInput.has('includes') ? [...new Set(projection?.includes)].sort() : [];
      const ofIncludes = projection && { includes: projection.needs };
      const reason = { reason: purpose, fields: [coordinate], ...ofIncludes };
      const needs = { coordinate, projection, includes, count, reason };
      known.set(info.fieldNodes, needs);
      return needs;
    },

    /**
     * Converts the objects of the output, and fetches the selected values that they lack.
     * @param meta Metadata of the response to a read of one object. Rows of a list contain their own metadata.
     */
    read(
      rows: readonly JsonObject[],
      pathIds: PathIds,
      projection: Projection | null,
      operation: Operation,
      meta?: unknown,
    ): readonly Entity[] | Promise<readonly Entity[]> {
      const entities = rows.map((row) => toEntity(row, pathIds, meta));
      if (projection === null) return entities;
      const incomplete = entities.filter((entity) => needsFetch(entity, projection));
      if (incomplete.length === 0) return entities;
      const completions = incomplete.map((entity) => operation.complete(entity, projection));
      return Promise.all(completions).then(() => entities);
    },
  };
}
