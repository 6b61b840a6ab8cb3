import { type Entity, readAssociation } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import type { Builder } from '../builder.ts';
import { type Model, pathKey, type ResourceModel } from '../model/model.ts';
import { type FieldSources, needsFetch } from '../resolve/projection.ts';
import { describeParameter } from './descriptions.ts';
import type { OutputValue } from './output-values.ts';
import { readInteger, readValue } from './outputs.ts';

/** A type whose objects are entities. Those of an output of its own have values, and no identity that counts. */
export type EntityRef = ReturnType<typeof createEntityRef>;

/** Names an object type; its fields are added later, so that types can refer to each other. */
export const createEntityRef = (builder: Builder, name: string) => builder.objectRef<Entity>(name);

/** The interface of all objects that can be fetched by their global id. */
export function createNodeInterface(builder: Builder, model: Model) {
  const typeNames = new Map([...model.values()].map((resource) => [resource.identity, resource.typeName]));
  const ref = builder.interfaceRef<Entity>('Node');
  builder.interfaceType(ref, {
    description: 'An object that can be fetched by its global id.',
    resolveType: (entity) => typeNames.get((entity as Entity).identity),
  });
  builder.interfaceField(ref, 'id', (t) =>
    t.field({
      type: 'ID',
      nullable: false,
      description: 'Global and readable: the path of the object, with its ids.',
      resolve: (entity) => entity.globalId,
    }),
  );
  return ref;
}

/** Adds `id` and `databaseId`. */
export function addIdentityFields(builder: Builder, ref: EntityRef): void {
  builder.objectField(ref, 'id', (t) =>
    t.field({
      type: 'ID',
      nullable: false,
      description: 'Global and readable: the path of the object, with its ids.',
      resolve: (entity) => entity.globalId,
    }),
  );
  builder.objectField(ref, 'databaseId', (t) =>
    t.field({
      type: 'SafeInt',
      description: 'The API’s own id; null when it is no integer.',
      resolve: (entity) => readInteger(entity.rawId) ?? null,
    }),
  );
}

/** Adds `label` to a type that has no text of that name: what the association at hand calls the object, else a parameter. */
export function addLabelField(builder: Builder, ref: EntityRef, parameter: string, isOwn: boolean): void {
  builder.objectField(ref, 'label', (t) =>
    t.string({
      description: `What people call it: its \`${parameter}\`. It comes with most associations, at no cost.`,
      resolve: (entity) => {
        const value = (isOwn ? null : entity.label) ?? entity.value(parameter);
        return readValue({ name: parameter, type: 'String' }, value) as string | null;
      },
    }),
  );
}

/** Adds a field that reads one plain output parameter of a resource. */
export function addValueField(
  builder: Builder,
  ref: EntityRef,
  name: string,
  parameter: Parameter,
  serve: (parameter: Parameter) => OutputValue,
): void {
  const coordinate = `${ref.name}.${name}`;
  builder.objectField(ref, name, (t) => {
    const { type, read } = serve(parameter);
    return t.field({
      type: type as 'JSON',
      ...describeParameter(parameter, 'output'),
      resolve: (entity, _args, { operation }) => read(entity.value(parameter.name), operation, coordinate),
    });
  });
}

/** One association of a type: the parameter that holds it and what it refers to. */
export interface AssociationField {
  readonly name: string;
  readonly parameter: ResourceParameter;
  readonly target: ResourceModel;
  readonly targetRef: EntityRef;
}

/** Adds an edge: id and label answer from the row at hand, anything else is fetched once an operation. */
export function addAssociationField(
  builder: Builder,
  ref: EntityRef,
  { name, parameter, target, targetRef }: AssociationField,
  sources: FieldSources,
  metaNamespace: string,
): void {
  const { valueId, valueLabel } = parameter;
  builder.objectField(ref, name, (t) =>
    t.field({
      type: targetRef,
      ...describeParameter(parameter, 'output'),
      resolve: async (holder, _args, { operation }, info) => {
        const value = holder.value(parameter.name);
        const pathIds = sharedIds(holder, target);
        const shape = { valueId, valueLabel, metaNamespace, pathIds };
        const association = readAssociation(value, target.identity, shape);
        if (association.kind === 'hidden') operation.warn('ASSOCIATION_HIDDEN', `${ref.name}.${name}`);
        if (association.kind !== 'entity') return null;
        const { entity } = association;
        operation.prime(entity);
        const projection = sources.projectionFor(target, info, operation);
        if (needsFetch(entity, projection)) await operation.complete(entity, projection);
        return entity;
      },
    }),
  );
}

/** The resource that an association refers to; null for plain parameters. */
export function targetOf(model: Model, parameter: Parameter): ResourceModel | null {
  return parameter.type === 'Resource' ? (model.get(pathKey(parameter.resource)) ?? null) : null;
}

/** Ids of the objects that both a holder and what it refers to are nested in: upstream may leave them out of `path_params`. */
function sharedIds({ identity, pathIds }: Entity, target: ResourceModel): PathIds {
  const parents = target.path.slice(0, -1);
  if (!parents.every((name, depth) => identity.path[depth] === name)) return new Map();
  const shared = new Set(target.identity.segments.slice(0, -1).flat());
  return new Map([...pathIds].filter(([placeholder]) => shared.has(placeholder)));
}
