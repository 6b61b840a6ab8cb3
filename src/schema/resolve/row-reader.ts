// Converts the output of an action to entities and completes them.
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { Entity, type EntitySource } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assembly.ts';
import { isOnlyId, type ResourceModel } from '../model/model.ts';
import { isSameType } from '../model/parameters.ts';
import { needsFetch, type Projection } from './projection.ts';

/** Converts the output of one action to entities, and fetches selected values that the output does not contain. */
export class RowReader {
  readonly #assembly: Pick<Assembly, 'sources' | 'metaNamespace'>;
  readonly #resource: ResourceModel;
  /** Whether the output is an object of the resource. */
  readonly #fits: boolean;
  readonly #source: EntitySource;
  /** Output parameters whose type differs from the resource's. Their values are ignored, so that `show` supplies them. */
  readonly #otherTyped: ReadonlySet<string>;
  readonly #supportsIncludes: boolean;

  constructor(
    assembly: Pick<Assembly, 'sources' | 'metaNamespace' | 'types'>,
    resource: ResourceModel,
    action: Action,
  ) {
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
