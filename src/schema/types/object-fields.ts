// Adds fields to object types: identity, label, values, associations, and the edges beside outputs that are ids of other objects.
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Entity } from '../../loaders/entity.ts';
import { isIntegerId, NO_PATH_IDS, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import type { Builder, Resolve } from '../builder.ts';
import { codeOf, describeParameter } from '../descriptions/descriptions.ts';
import { sharedPlaceholders } from '../model/keys.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Reference } from '../model/references.ts';
import type { FieldSource } from '../origin.ts';
import { readObject } from '../resolve/single-read.ts';
import type { ResourceType } from './objects.ts';
import { nullable, nullOnlyWithError, outputFieldOf, refuseNull } from './outputs.ts';
import { readerOf, readInteger } from './values.ts';

const GLOBAL_ID = {
  type: 'ID',
  nullable: false,
  description: 'The global ID of the object: its path, including the IDs of its parents.',
  resolve: (entity: Entity) => entity.globalId,
} as const;

const NULLABLE_GLOBAL_ID = {
  ...GLOBAL_ID,
  nullable: true,
  description: `${GLOBAL_ID.description} Null in lists whose rows do not contain it.`,
  resolve: (entity: Entity) => (entity.ids === null ? null : entity.globalId),
} as const;

/** An object type whose objects are entities. Entities of an output type have values but no usable identity. */
export type EntityRef = ReturnType<typeof createEntityRef>;

/** Creates a reference to an object type. Its fields are added later, so that types can refer to each other. */
export const createEntityRef = (builder: Builder, name: string) => builder.objectRef<Entity>(name);

/** Creates the interface of all objects that can be fetched by their global ID. */
export function createNodeInterface(builder: Builder, resolveType: (object: unknown) => string | undefined) {
  const ref = builder.interfaceRef<Entity>('Node');
  builder.interfaceType(ref, {
    description: 'An object that can be fetched by its global ID.',
    resolveType,
  });
  builder.interfaceField(ref, 'id', (t) => t.field(GLOBAL_ID));
  return ref;
}

/** Adds `id`, which is nullable where rows of lists may lack it, and `databaseId` where it can be an integer. Returns their names. */
export function addIdentityFields(
  builder: Builder,
  ref: EntityRef,
  { identity: { idPlaceholder, valueTypes }, identifiable, identifiesRows }: ResourceModel,
): readonly string[] {
  if (!identifiable) return [];
  builder.objectField(ref, 'id', (t) => t.field(identifiesRows ? GLOBAL_ID : NULLABLE_GLOBAL_ID));
  if (idPlaceholder === null || valueTypes.get(idPlaceholder) === 'text') return ['id'];
  builder.objectField(ref, 'databaseId', (t) =>
    t.field({
      type: 'SafeInt',
      description: 'The ID of the object in the management API. Null if it is not an integer.',
      resolve: (entity) => readInteger(entity.rawId) ?? null,
    }),
  );
  return ['id', 'databaseId'];
}

/** Names of parameters with texts. */
type LabelParameters = readonly [string, ...string[]];

/**
 * Adds `label`, which shows the label of the association that led to the object. An object that was read otherwise shows the first of
 * the parameters that is not empty.
 */
export function addLabelField(builder: Builder, ref: EntityRef, parameters: LabelParameters): void {
  const [first] = parameters;
  const read = readerOf({ name: first, type: 'String' });
  builder.objectField(ref, 'label', (t) =>
    t.string({
      extensions: { source: { labels: parameters } },
      description: `A human-readable name of the object: the text by which associations name it, its ${codeOf(first)}. Selecting it needs no further API call.`,
      resolve: (entity) => readLabel(entity, parameters, read),
    }),
  );
}

/**
 * Returns the first text of an object's label and parameters that is not empty. Null if it has none.
 * @throws The error with which the object was fetched, where it has no text and no other field has thrown it.
 */
function readLabel(
  entity: Entity,
  parameters: LabelParameters,
  read: (value: unknown) => unknown,
): string | null {
  let text = read(entity.label);
  for (const name of parameters) {
    if (text !== null && text !== '') break;
    if (entity.has(name)) text = read(entity.value(name)) ?? text;
  }
  return (text ?? read(entity.value(parameters[0]))) as string | null;
}

/**
 * Adds a field for an output parameter. The ID and label of an association need no call; its other fields are fetched once for each
 * operation.
 * @param isRenamed Whether it has another name than that of the output, because of a clash or of the overrides.
 */
export function addOutputField(
  assembly: Assembly,
  { resource, ref }: ResourceType,
  name: string,
  parameter: Parameter,
  isRenamed: boolean,
): void {
  const coordinate = `${ref.name}.${name}`;
  const isRequired = assembly.overrides.nonNull?.[coordinate] ?? parameter.required;
  const { type, association, resolve } = outputFieldOf(assembly, resource, parameter, coordinate);
  const parents =
    association === null ? [] : sharedPlaceholders(resource.identity, association.target.identity);
  const renamed = association === null && isRenamed ? `The API's output ${codeOf(parameter.name)}.` : '';
  const { isReferenced, label, parameters } = resource;
  const isLabel = isReferenced && label.isParameter && parameter === parameters.get('label');
  const source: FieldSource = isLabel
    ? { labels: ['label'] }
    : { parameter: parameter.name, ...(association === null ? {} : { association }) };
  const description = describeParameter(parameter, 'output', renamed);
  const options = { ...description, extensions: { parameter, source } };
  const resolveNullable: Resolve = (entity, _args, { operation }, info) =>
    resolve((entity as Entity).value(parameter.name), selectIds(entity as Entity, parents), operation, info);
  const resolveRequired: Resolve = (entity, _args, { operation }, info) => {
    const value = (entity as Entity).requiredValue(parameter.name);
    return refuseNull(resolve(value, selectIds(entity as Entity, parents), operation, info), coordinate);
  };
  assembly.builder.objectField(ref, name, (t) =>
    t.field({
      type: type as 'JSON',
      nullable: nullable(type),
      ...(isRequired ? nullOnlyWithError(options) : options),
      resolve: isRequired ? resolveRequired : resolveNullable,
    }),
  );
}

/** Returns an object's IDs for some placeholders; none if its IDs are not known. */
function selectIds(entity: Entity, placeholders: readonly string[]): PathIds {
  // Most associations share no parents, so the object's IDs are not read for them.
  if (placeholders.length === 0) return NO_PATH_IDS;
  const { identity, ids } = entity;
  if (ids === null) return NO_PATH_IDS;
  return new Map(placeholders.map((name) => [name, ids[identity.placeholders.indexOf(name)] ?? '']));
}

/** Adds the edge of a reference, unless its resource has no type. */
export function addReferenceField(
  { builder, model, references, types }: Assembly,
  { resource, ref, fields }: ResourceType,
  { name: ownName, target }: Reference,
  parameter: Parameter,
): void {
  const namedBy = typeof target === 'string' ? null : target.namedBy;
  const known = (typeof target === 'string' && model.get(target)) || null;
  const type = namedBy === null ? known && types.typeFor(known)?.ref : types.node;
  if (!type) return;
  /** Returns the resource that a text names, if the caller may fetch its objects. */
  const namedIn = (schema: GraphQLSchema, text: unknown): ResourceModel | null => {
    const named = references.names.named(text);
    const own = named && schema.getType(named.typeName);
    return isObjectType(own) && own.getInterfaces().some(({ name }) => name === 'Node') ? named : null;
  };
  const name = fields.claim(ownName);
  const whose = namedBy === null ? '' : ` of the resource that ${codeOf(namedBy)} names`;
  const source = { parameter: parameter.name, ...(namedBy === null ? {} : { namedBy }) };
  builder.objectField(ref, name, (t) =>
    t.field({
      ...describeParameter(parameter, 'output'),
      extensions: { parameter, source },
      type: type as EntityRef,
      description: `The object${whose} with the ID in ${codeOf(parameter.name)}. Null with a warning if the API does not find it.`,
      resolve: async (entity, _args, { operation }, info) => {
        const id = entity.value(parameter.name);
        if (id === null) return null;
        const found = namedBy === null ? known : namedIn(info.schema, entity.value(namedBy));
        const ids = found && idsOf(entity, resource, found, String(id));
        const object = found && ids && (await readObject(found, ids, operation, info));
        if (object === null) operation.warn('REFERENCE_NOT_FOUND', `${ref.name}.${name}`);
        return object;
      },
    }),
  );
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
        ids && readObject(resource, pathIdsOf(resource.identity, ids), operation, info),
    }),
  );
}
