// Adds the edges beside outputs that are ids of other objects.
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { isIntegerId, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { codeOf, describeParameter } from '../descriptions/descriptions.ts';
import { sharedPlaceholders } from '../model/keys.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Reference } from '../model/references.ts';
import { ResourceNames } from '../model/resource-names.ts';
import type { FieldNames } from '../names/field-names.ts';
import { readObject } from '../resolve/single-read.ts';
import { type EntityRef, selectIds } from './object-fields.ts';
import type { ObjectTypes } from './objects.ts';

/** Where an edge stands. */
interface ReferencePlace {
  readonly resource: ResourceModel;
  readonly ref: EntityRef;
}

/** Creates the function that adds the edge of a reference and returns its name: null where the resource has no type. */
export function createReferenceFields(assembly: Assembly, types: ObjectTypes) {
  const names = new ResourceNames(assembly.model);
  return (
    { resource, ref, fields }: ReferencePlace & { readonly fields: FieldNames },
    reference: Reference,
    parameter: Parameter,
  ): string | null => {
    const { target } = reference;
    const namedBy = typeof target === 'string' ? null : target.namedBy;
    const known = typeof target === 'string' ? assembly.model.get(target) : undefined;
    const type = namedBy === null ? known && types.typeFor(known)?.ref : types.node;
    if (type === undefined) return null;
    const name = fields.claim(reference.name);
    const resourceOf = (entity: Entity, schema: GraphQLSchema): ResourceModel | null => {
      if (namedBy === null) return known ?? null;
      const named = names.named(entity.value(namedBy));
      const namedType = named && schema.getType(named.typeName);
      return isObjectType(namedType) && namedType.getInterfaces().length > 0 ? named : null;
    };
    const whose = namedBy === null ? '' : ` of the resource that ${codeOf(namedBy)} names`;
    assembly.builder.objectField(ref, name, (t) =>
      t.field({
        ...describeParameter(parameter, 'output'),
        type: type as EntityRef,
        description: `The object${whose} with the ID in ${codeOf(parameter.name)}. Null with a warning if the API does not find it.`,
        resolve: async (entity, _args, { operation }, info) => {
          const id = entity.value(parameter.name);
          if (id === null) return null;
          const found = resourceOf(entity, info.schema);
          const ids = found && idsOf(entity, resource, found, String(id));
          const object = found && ids && (await readObject(assembly, found, ids, operation, info));
          if (object === null) operation.warn('REFERENCE_NOT_FOUND', `${ref.name}.${name}`);
          return object;
        },
      }),
    );
    return name;
  };
}

/** Returns the ids of an object from its own id and those of the parents that it shares with its owner; null if they are none. */
function idsOf(
  entity: Entity,
  owner: ResourceModel,
  { identity }: ResourceModel,
  id: string,
): PathIds | null {
  const { placeholders, valueTypes } = identity;
  const parents = selectIds(entity, sharedPlaceholders(owner.identity, identity));
  const last = placeholders.at(-1);
  if (last === undefined || parents.size !== placeholders.length - 1) return null;
  if (valueTypes.get(last) === 'integer' && !isIntegerId(id)) return null;
  return new Map([...parents, [last, id]]);
}

/** Adds the edge from an output that describes an object of a resource in its own way to this object. */
export function addObjectField(
  assembly: Assembly,
  { resource, ref }: ReferencePlace,
  name: string,
  type: EntityRef,
): void {
  assembly.builder.objectField(ref, name, (t) =>
    t.field({
      type,
      description: 'The object that these values describe.',
      resolve: (entity, _args, { operation }, info) =>
        entity.ids === null
          ? null
          : readObject(assembly, resource, pathIdsOf(resource.identity, entity.ids), operation, info),
    }),
  );
}
