// Adds fields to object types: identity, label, values and associations.
import type { GraphQLResolveInfo } from 'graphql';
import { type Entity, readAssociation } from '../../loaders/entity.ts';
import { NO_PATH_IDS, type PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import type { Builder } from '../builder.ts';
import { codeOf, describeParameter, paragraphs } from '../descriptions/descriptions.ts';
import { sharedPlaceholders } from '../model/keys.ts';
import { type ResourceModel, targetOf } from '../model/model.ts';
import type { FieldSource } from '../resolve/projection.ts';
import { nullable, nullOnlyWithError, refuseNull } from './field-options.ts';
import { outputValueOf, readerOf, readInteger } from './outputs.ts';

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

/** Whether the type of a resource has `databaseId`: its objects have ids that can be integers. */
export const ownsDatabaseId = ({ identity: { idPlaceholder, valueTypes } }: ResourceModel): boolean =>
  idPlaceholder !== null && valueTypes.get(idPlaceholder) !== 'text';

/** Adds `id`, which is nullable where rows of lists may lack it, and `databaseId` where it can be an integer. */
export function addIdentityFields(builder: Builder, ref: EntityRef, resource: ResourceModel): void {
  const idField = resource.identifiesRows ? GLOBAL_ID : NULLABLE_GLOBAL_ID;
  builder.objectField(ref, 'id', (t) => t.field(idField));
  if (!ownsDatabaseId(resource)) return;
  builder.objectField(ref, 'databaseId', (t) =>
    t.field({
      type: 'SafeInt',
      description: 'The ID of the object in the management API. Null if it is not an integer.',
      resolve: (entity) => readInteger(entity.rawId) ?? null,
    }),
  );
}

/**
 * Adds `label`, which shows the label of the association that led to the object. An object that was read otherwise shows the first of
 * the parameters that is not empty.
 */
export function addLabelField(
  builder: Builder,
  ref: EntityRef,
  parameters: readonly [string, ...string[]],
): void {
  const [first] = parameters;
  const read = readerOf({ name: first, type: 'String' });
  builder.objectField(ref, 'label', (t) =>
    t.string({
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
  parameters: readonly [string, ...string[]],
  read: (value: unknown) => unknown,
): string | null {
  let text = read(entity.label);
  for (const name of parameters) {
    if (text !== null && text !== '') break;
    if (entity.has(name)) text = read(entity.value(name)) ?? text;
  }
  return (text ?? read(entity.value(parameters[0]))) as string | null;
}

/** Where the field of an output stands. */
interface OutputPlace {
  /** The resource of the objects that have the field. */
  readonly resource: ResourceModel;
  readonly ref: EntityRef;
  readonly name: string;
  /** Whether it has another name than that of the output, because of a clash or of the overrides. */
  readonly isRenamed: boolean;
}

/**
 * Adds a field for an output parameter. The ID and label of an association need no call; its other fields are fetched once for each
 * operation.
 * @returns The source of the field.
 */
export function addOutputField(
  assembly: Assembly,
  { resource, ref, name, isRenamed }: OutputPlace,
  parameter: Parameter,
  isRequired: boolean,
): FieldSource {
  const coordinate = `${ref.name}.${name}`;
  const { type, association, hint, resolve } = outputFieldOf(assembly, resource, parameter, coordinate);
  const parents =
    association === null ? [] : sharedPlaceholders(resource.identity, association.target.identity);
  const renamed = `The API's output ${codeOf(parameter.name)}.`;
  const isExplained = association === null && isRenamed;
  const described = describeParameter(parameter, 'output', paragraphs([isExplained ? renamed : null, hint]));
  assembly.builder.objectField(ref, name, (t) =>
    t.field({
      type: type as 'JSON',
      nullable: nullable(type),
      ...(isRequired ? nullOnlyWithError(described) : described),
      resolve: (entity, _args, { operation }, info) => {
        const value = isRequired ? entity.requiredValue(parameter.name) : entity.value(parameter.name);
        const resolved = resolve(value, selectIds(entity, parents), operation, info);
        return isRequired ? refuseNull(resolved, coordinate) : resolved;
      },
    }),
  );
  return { parameter: parameter.name, ...(association === null ? {} : { association }) };
}

/**
 * Returns the type of an output's field, the hint for its description, and the function that resolves the value of the API. An association
 * is an object where its resource has a type.
 * @param coordinate Schema coordinate of the field, for warnings.
 */
export function outputFieldOf(
  assembly: Assembly,
  resource: ResourceModel,
  parameter: Parameter,
  coordinate: string,
) {
  const { model, types, hints } = assembly;
  const target = targetOf(model, parameter);
  const associated = target === null ? null : types.typeFor(target);
  if (parameter.type === 'Resource' && associated !== null)
    return {
      type: associated.ref,
      association: { parameter, target: associated.resource },
      hint: null,
      resolve: associationResolver(assembly, parameter, associated.resource, coordinate),
    };
  const { type, read } = outputValueOf(assembly, resource, parameter);
  return {
    type,
    association: null,
    hint: hints.hintFor(parameter),
    resolve: (value: unknown, _pathIds: PathIds, operation: Operation) => read(value, operation, coordinate),
  };
}

/**
 * Returns the function that resolves the value of an association to its object, with the selected fields, or to null.
 * @param coordinate Schema coordinate of the field, for warnings.
 */
function associationResolver(
  { sources, metaNamespace }: Assembly,
  { valueId, valueLabel }: ResourceParameter,
  target: ResourceModel,
  coordinate: string,
) {
  return (value: unknown, pathIds: PathIds, operation: Operation, info: GraphQLResolveInfo) => {
    const shape = { valueId, valueLabel, metaNamespace, pathIds };
    const association = readAssociation(value, target.identity, shape);
    if (association.kind === 'hidden') operation.warn('ASSOCIATION_HIDDEN', coordinate);
    if (association.kind !== 'entity') return null;
    const { entity } = association;
    if (entity.source === 'show') operation.prime(target.identity, () => [entity]);
    return sources.complete(entity, target, operation, info);
  };
}

/** Returns an object's IDs for some placeholders; none if its IDs are not known. */
export function selectIds(entity: Entity, placeholders: readonly string[]): PathIds {
  // Most associations share no parents, so the object's IDs are not read for them.
  if (placeholders.length === 0) return NO_PATH_IDS;
  const { identity, ids } = entity;
  if (ids === null) return NO_PATH_IDS;
  const selected = placeholders.map(
    (name) => [name, ids[identity.placeholders.indexOf(name)] ?? ''] as const,
  );
  return new Map(selected);
}
