import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import type { IncludeRequest } from '../../loaders/object-loader.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { ResourceParameter } from '../../upstream/description/description.ts';
import type { ResourceModel } from '../model/model.ts';
import { coordinateOf, selectionOf } from './selection.ts';

/** What a selection needs of one object. */
export interface Projection extends IncludeRequest {
  /** Output parameters that are read. */
  readonly parameters: ReadonlySet<string>;
  /** The label is read, which an association brings along; else this parameter answers it. Null: it is not. */
  readonly label: string | null;
}

/**
 * Associations that one projection follows at most; those beyond are fetched when their turn comes. Fragments that spread each
 * other through two associations would double the projection at each level, and every include lengthens the URL.
 */
const MAX_ASSOCIATIONS = 100;

/** Which output parameter answers a field; fields that ask the upstream for themselves have none. */
export interface FieldSource {
  readonly parameter: string;
  /** It is the label of the object, not merely the parameter. */
  readonly isLabel?: boolean;
  readonly association?: { readonly parameter: ResourceParameter; readonly target: ResourceModel };
}

/** The fields of every resource type and what answers them; filled while the types are assembled. */
export class FieldSources {
  readonly #byType = new Map<ResourceModel, Map<string, FieldSource>>();
  readonly #memo = new WeakMap<Operation, WeakMap<readonly FieldNode[], Map<ResourceModel, Projection>>>();

  set(type: ResourceModel, field: string, source: FieldSource): void {
    const fields = this.#byType.get(type) ?? new Map<string, FieldSource>();
    fields.set(field, source);
    this.#byType.set(type, fields);
  }

  /**
   * What the selection below a field needs of the objects it resolves to. Worked out once a field and operation: rows of a
   * list share their field nodes.
   */
  projectionFor(type: ResourceModel, info: GraphQLResolveInfo, operation: Operation): Projection {
    const memo =
      this.#memo.get(operation) ?? new WeakMap<readonly FieldNode[], Map<ResourceModel, Projection>>();
    this.#memo.set(operation, memo);
    const byType = memo.get(info.fieldNodes) ?? new Map<ResourceModel, Projection>();
    memo.set(info.fieldNodes, byType);
    const projection = byType.get(type) ?? this.projectionBelow(type, info.fieldNodes, info);
    byType.set(type, projection);
    return projection;
  }

  /**
   * The same for given nodes, e.g. those of a connection's rows.
   * @param budget Counts down the associations that may still be followed.
   */
  projectionBelow(
    type: ResourceModel,
    nodes: readonly FieldNode[],
    info: GraphQLResolveInfo,
    budget = { left: MAX_ASSOCIATIONS },
  ): Projection {
    const parameters = new Set<string>();
    const includes: string[] = [];
    let label: string | null = null;
    for (const [field, below] of selectionOf(nodes, type.typeName, info)) {
      const source = this.#byType.get(type)?.get(field);
      if (source === undefined) continue;
      if (source.isLabel === true) {
        label = source.parameter;
        continue;
      }
      parameters.add(source.parameter);
      if (source.association === undefined || budget.left === 0) continue;
      budget.left -= 1;
      const { target, parameter } = source.association;
      const child = this.projectionBelow(target, below, info, budget);
      if (!comesAlong(child, parameter)) includes.push(...prefixed(parameter.name, child.includes));
    }
    return { parameters, label, includes, coordinate: coordinateOf(info) };
  }
}

/** Whether an association's id and label are all that is asked of it. */
function comesAlong({ parameters }: Projection, { valueId, valueLabel }: ResourceParameter): boolean {
  return [...parameters].every((name) => name === valueId || name === valueLabel);
}

function prefixed(name: string, includes: readonly string[]): readonly string[] {
  return includes.length === 0 ? [name] : includes.map((include) => `${name}__${include}`);
}

/** Whether an object must be fetched by its `show` before the projection can be answered. */
export function needsFetch(entity: Entity, projection: Projection): boolean {
  if (entity.source === 'show') return false;
  const wanted = [...projection.parameters];
  if (projection.label !== null && entity.label === undefined) wanted.push(projection.label);
  const missing = wanted.filter((name) => !entity.has(name));
  if (missing.length === 0) return false;
  const { show } = entity.identity;
  if (show === null) return entity.source === 'association';
  return missing.some((name) => show.output.parameters.some((parameter) => parameter.name === name));
}
