// Begins the reads of fields before the object on which they stand has arrived.

import { type FieldNode, type GraphQLResolveInfo, getArgumentValues, isObjectType } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { type Ids, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { ResourceModel } from '../model/model.ts';

/**
 * Begins what a field will read, as far as the ids of its object determine it.
 * @param object The object on which the field stands, of which only the ids are known.
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
export class EarlyFields {
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
