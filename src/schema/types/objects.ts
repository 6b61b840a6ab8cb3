// Creates the object types of a schema.
import type { Entity } from '../../loaders/entity.ts';
import { ACTION_STATE } from '../../upstream/actions/action-state-api.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import { codeOf, describeResource } from '../descriptions/descriptions.ts';
import { groupBy, memo } from '../memo.ts';
import { findAction, isNode, isOnlyId, pathKey, type ResourceModel } from '../model/model.ts';
import { extrasOf, sortByName } from '../model/parameters.ts';
import { idFieldNameOf, type Reference } from '../model/references.ts';
import {
  appendName,
  commonWordsOf,
  fieldNameOf,
  outputNameOf,
  resultNameOf,
  rowNameOf,
  withValue,
} from '../names/naming.ts';
import { nameShared, nameType } from '../names/type-names.ts';
import { fieldsOf, UniqueNames } from '../names/unique-names.ts';
import {
  addIdentityFields,
  addLabelField,
  addObjectField,
  addOutputField,
  addReferenceField,
  createEntityRef,
  createNodeInterface,
  type EntityRef,
} from './object-fields.ts';
import { outputFieldOf } from './outputs.ts';

/** A write with a result of its own. */
interface Write {
  readonly resource: ResourceModel;
  readonly action: Action;
}

/** What writes with equal results share. */
interface EqualResults {
  /** The write that decides their type. */
  readonly first: Write;
  /** The words that the names of their results have in common. */
  readonly name: string;
  /** The parameters for which each field of the type stands. */
  readonly parameters: ReadonlyMap<string, readonly Parameter[]>;
}

/** The type of a resource and the names of its fields. */
export interface ResourceType {
  readonly resource: ResourceModel;
  readonly ref: EntityRef;
  readonly fields: UniqueNames;
}

/** The object types of one schema: one for each resource, and one for each output that does not fit the type of its resource. */
export class ObjectTypes {
  /** Returns the type of an object of an abstract type. */
  readonly typeNameOf: (object: unknown) => string | undefined;
  readonly node: ReturnType<typeof createNodeInterface>;
  readonly #assembly: Assembly;
  readonly #resources = new Map<ResourceModel, ResourceType>();
  readonly #outputFor = memo((action: Action, resource: ResourceModel) =>
    this.#declareOutput(resource, action),
  );
  /** Computed for the first result of another type, because the types of objects name their enums first. */
  readonly #equalResults = memo(findEqualResults);
  /**
   * Returns the output parameters of an action that objects of the resource do not have. Returns null if the output is no object of the
   * resource.
   */
  readonly extrasOf = memo((action: Action, resource: ResourceModel) =>
    this.#resources.has(resource) ? extrasOf(resource, action) : null,
  );

  constructor(assembly: Assembly) {
    const { builder, model } = assembly;
    this.#assembly = assembly;
    const typeNames = new Map([...model.values()].map((resource) => [resource.identity, resource.typeName]));
    this.typeNameOf = (object) => typeNames.get((object as Entity).identity);
    this.node = createNodeInterface(builder, this.typeNameOf);
  }

  /** Declares the types of all resources. */
  declareAll(): void {
    for (const resource of this.#assembly.model.values()) if (hasType(resource)) this.#declare(resource);
    for (const type of this.#resources.values()) this.#addOwnFields(type);
  }

  /** The resources that have a type. */
  get resources(): readonly ResourceModel[] {
    return [...this.#resources.keys()];
  }

  /** The type of action states. Null if the API describes none. */
  get actionState(): ResourceType | null {
    const resource = this.#assembly.model.get(ACTION_STATE);
    return resource === undefined ? null : this.typeFor(resource);
  }

  /** Returns the type of a resource and the names of its fields, or null if the resource has no type. */
  typeFor(resource: ResourceModel): ResourceType | null {
    return this.#resources.get(resource) ?? null;
  }

  /** Returns the type of an action's output: the type of its resource if the output fits, otherwise a type of its own. */
  outputTypeFor(resource: ResourceModel, action: Action): EntityRef {
    const type = this.#resources.get(resource);
    if (type !== undefined && this.fits(resource, action)) return type.ref;
    const { first } = this.#equalResults(this.#assembly).get(action) ?? { first: { resource, action } };
    return this.#outputFor(first.action, first.resource);
  }

  /** Whether an action's output has the type of its resource. */
  fits(resource: ResourceModel, action: Action): boolean {
    return this.extrasOf(action, resource)?.length === 0;
  }

  #declare(resource: ResourceModel): void {
    const { builder } = this.#assembly;
    const { typeName } = resource;
    const ref = createEntityRef(builder, typeName);
    const mainRead = findAction(resource.reads, 'show') ?? findAction(resource.reads, 'index');
    const description = describeResource(resource.path, resource.description, mainRead !== null);
    builder.objectType(ref, {
      description,
      ...(isNode(resource) ? { interfaces: [this.node] } : {}),
      extensions: { resource: resource.path, text: description },
    });
    const identity = addIdentityFields(builder, ref, resource);
    const fields = new UniqueNames(this.#assembly, fieldsOf(typeName), identity);
    this.#resources.set(resource, { resource, ref, fields });
  }

  #addOwnFields(type: ResourceType): void {
    const { builder, references } = this.#assembly;
    const { resource, ref, fields } = type;
    const [first, ...others] = resource.label.parameters;
    if (first !== undefined && !resource.label.isParameter) {
      fields.fix('label');
      addLabelField(builder, ref, [first, ...others]);
    }
    const all = [...resource.parameters.values()];
    const own = references.on(resource);
    const outputs = all.filter((one) => !isOnlyId(resource, one));
    this.#addOutputs(type, outputs, own, pathKey(resource.path));
    this.#addReferences(type, all, own);
  }

  #declareOutput(resource: ResourceModel, action: Action): EntityRef {
    const { builder, references } = this.#assembly;
    const equal = this.#equalResults(this.#assembly).get(action);
    const shared = equal === undefined ? null : nameShared(this.#assembly, equal.name);
    const words = resource.reads.includes(action) ? rowNameOf(action) : resultNameOf(action);
    const ref = createEntityRef(builder, shared ?? nameType(this.#assembly, resource, words));
    builder.objectType(ref, {
      description: `Output of ${equal === undefined ? codeOf(action.scope) : `actions of ${codeOf(resource.path[0] ?? '')}`}.`,
      ...(equal === undefined ? {} : { extensions: { parameters: equal.parameters } }),
    });
    const type = { resource, ref, fields: new UniqueNames(this.#assembly, fieldsOf(ref.name)) };
    const { parameters } = action.output;
    const own = references.inOutput(ref.name, resource, parameters);
    this.#addOutputs(type, parameters, own, action.scope);
    this.#addDescribedObject(type, action);
    this.#addReferences(type, parameters, own);
    return ref;
  }

  /** Adds the fields of outputs. @param place The place of the outputs in the description. */
  #addOutputs(
    type: ResourceType,
    parameters: readonly Parameter[],
    references: readonly Reference[],
    place: string,
  ): void {
    const { fields } = type;
    const reserved = ['databaseId', 'label'].filter((name) => fields.has(name));
    for (const parameter of sortByName(parameters)) {
      const wanted = idFieldNameOf(parameter, parameters, references) ?? outputNameOf(parameter);
      const ownName = reserved.includes(wanted) ? withValue(fieldNameOf(parameter.name)) : wanted;
      const name = fields.claim(ownName, `${place} output.${parameter.name}`);
      addOutputField(this.#assembly, type, name, parameter, name !== wanted);
    }
  }

  /** Adds the edge from an output that describes an object of its resource in its own way to this object. */
  #addDescribedObject(own: ResourceType, action: Action): void {
    const { resource, fields } = own;
    const name = fieldNameOf(resource.path.at(-1) ?? '');
    const type = this.#resources.get(resource);
    const isKnown = this.extrasOf(action, resource) !== null;
    if (isKnown && type !== undefined && resource.identity.idPlaceholder !== null && !fields.has(name))
      addObjectField(this.#assembly, own, name, type.ref);
  }

  /** Adds the edges to the objects whose ids outputs contain. */
  #addReferences(
    type: ResourceType,
    parameters: readonly Parameter[],
    references: readonly Reference[],
  ): void {
    for (const reference of references) {
      const parameter = parameters.find(({ name }) => name === reference.parameter);
      if (parameter === undefined || type.fields.has(reference.name)) continue;
      addReferenceField(this.#assembly, type, reference, parameter);
    }
  }
}

/** A resource has a type if an action returns it or a parameter refers to it, even if the caller may not use it. */
function hasType(resource: ResourceModel): boolean {
  if (!resource.identifiable && resource.parameters.size === 0) return false;
  return resource.isReferenced || resource.reads.some(({ name }) => name === 'show' || name === 'index');
}

/**
 * Finds the writes whose results are no objects of their resources and have equal fields, by action. They are of one resource of the top,
 * whose name theirs begin with.
 */
function findEqualResults(assembly: Assembly): ReadonlyMap<Action, EqualResults> {
  const all = [...assembly.model.values()].flatMap((resource) =>
    resource.writes
      .filter(({ output }) => output.parameters.length > 0)
      .filter((action) => assembly.types.extrasOf(action, resource) === null)
      .map((action) => ({ resource, action })),
  );
  const found = new Map<Action, EqualResults>();
  for (const writes of groupBy(all, (write) => resultKeyOf(assembly, write)).values()) {
    if (writes.length === 1) continue;
    const names = writes.map(({ resource, action }) => appendName(resource.baseName, resultNameOf(action)));
    const outputs = writes.flatMap(({ action }) => action.output.parameters);
    const parameters = groupBy(outputs, ({ name }) => name);
    const shared = { first: writes[0], name: commonWordsOf(names).join(''), parameters };
    for (const { action } of writes) found.set(action, shared);
  }
  return found;
}

/** Ids and associations depend on the whole path, other values on their types only. */
function resultKeyOf(assembly: Assembly, { resource, action }: Write): string {
  const { parameters } = action.output;
  const isOfPath = parameters.some(({ type }) => type === 'Resource' || type === 'Integer');
  const fields = sortByName(parameters).map((parameter) => {
    const { type } = outputFieldOf(assembly, resource, parameter, '');
    const typeName = Array.isArray(type) ? `[${type}]` : String(type);
    return String([parameter.name, parameter.type, parameter.required, typeName]);
  });
  return JSON.stringify([isOfPath ? pathKey(resource.path) : resource.path[0], ...fields]);
}
