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
import { readObject } from '../resolve/single-read.ts';
import { type EntityRef, selectIds } from './object-fields.ts';
import type { ObjectTypes, ResourceType } from './objects.ts';

/** Creates the function that adds the edge of a reference and returns its name: null where the resource has no type. */
export function createReferenceFields(assembly: Assembly, types: ObjectTypes) {
  const names = new ResourceNames(assembly.model);
  const namedIn = (schema: GraphQLSchema, text: unknown): ResourceModel | null => {
    const named = names.named(text);
    const type = named && schema.getType(named.typeName);
    return isObjectType(type) && type.getInterfaces().length > 0 ? named : null;
  };
  return (
    { resource, ref, fields }: ResourceType,
    { name: ownName, target }: Reference,
    parameter: Parameter,
  ): string | null => {
    const namedBy = typeof target === 'string' ? null : target.namedBy;
    const known = (typeof target === 'string' && assembly.model.get(target)) || null;
    const type = namedBy === null ? known && types.typeFor(known)?.ref : types.node;
    if (!type) return null;
    const name = fields.claim(ownName);
    const whose = namedBy === null ? '' : ` of the resource that ${codeOf(namedBy)} names`;
    assembly.builder.objectField(ref, name, (t) =>
      t.field({
        ...describeParameter(parameter, 'output'),
        type: type as EntityRef,
        description: `The object${whose} with the ID in ${codeOf(parameter.name)}. Null with a warning if the API does not find it.`,
        resolve: async (entity, _args, { operation }, info) => {
          const id = entity.value(parameter.name);
          if (id === null) return null;
          const found = namedBy === null ? known : namedIn(info.schema, entity.value(namedBy));
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
  { resource, ref, fields }: ResourceType,
  ownName: string,
  type: EntityRef,
): void {
  assembly.builder.objectField(ref, fields.claim(ownName), (t) =>
    t.field({
      type,
      description: 'The object that these values describe.',
      resolve: ({ ids }, _args, { operation }, info) =>
        ids && readObject(assembly, resource, pathIdsOf(resource.identity, ids), operation, info),
    }),
  );
}
