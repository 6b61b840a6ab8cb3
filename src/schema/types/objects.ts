// Creates the object types of a schema.

import type { Entity } from '../../loaders/entity.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Steps } from '../../upstream/steps.ts';
import type { Assembly } from '../assembly.ts';
import { findAction, pathKey, type ResourceModel } from '../model/model.ts';
import { fitsResource } from '../model/object-fit.ts';
import { FieldNames } from '../names/field-names.ts';
import { ACTION_STATE, fieldNameOf } from '../names/naming.ts';
import { ofResource } from '../origin.ts';
import type { FieldSource } from '../resolve/projection.ts';
import { codeOf, paragraphs } from './descriptions.ts';
import {
  addAssociationField,
  addIdentityFields,
  addLabelField,
  addValueField,
  createEntityRef,
  createNodeInterface,
  type EntityRef,
  targetOf,
} from './object-fields.ts';
import { outputValueOf } from './outputs.ts';

type ObjectAssembly = Pick<
  Assembly,
  'builder' | 'model' | 'metaNamespace' | 'names' | 'overrides' | 'sources' | 'enums' | 'report'
>;

/** The type of a resource and the names of its fields. */
export interface ResourceType {
  readonly resource: ResourceModel;
  readonly ref: EntityRef;
  readonly fields: FieldNames;
}

/** The object types of one schema: one for each resource, and one for each output that does not fit the type of its resource. */
export class ObjectTypes {
  /** Returns the type of an object of an abstract type. */
  readonly typeNameOf: (object: unknown) => string | undefined;
  readonly node: ReturnType<typeof createNodeInterface>;
  readonly #assembly: ObjectAssembly;
  readonly #resources = new Map<ResourceModel, ResourceType>();
  readonly #outputs = new Map<Action, EntityRef>();

  constructor(assembly: ObjectAssembly) {
    const { builder, model } = assembly;
    this.#assembly = assembly;
    const typeNames = new Map([...model.values()].map((resource) => [resource.identity, resource.typeName]));
    this.typeNameOf = (object) => typeNames.get((object as Entity).identity);
    this.node = createNodeInterface(builder, this.typeNameOf);
  }

  /** Declares the types of all resources. */
  *declareAll(): Steps<void> {
    for (const resource of this.#assembly.model.values()) {
      if (hasType(resource)) this.#declare(resource);
      yield;
    }
    for (const type of this.#resources.values()) {
      this.#addOwnFields(type);
      yield;
    }
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
    let ref = this.#outputs.get(action);
    if (ref === undefined) {
      ref = this.#declareOutput(resource, action);
      this.#outputs.set(action, ref);
    }
    return ref;
  }

  /** Whether an action's output has the type of its resource: its parameters have the same types, and its IDs are known. */
  fits(resource: ResourceModel, action: Action): boolean {
    return this.#resources.has(resource) && fitsResource(resource, action);
  }

  #declare(resource: ResourceModel): void {
    const { builder, report } = this.#assembly;
    const { typeName, identity, identifiable } = resource;
    const ref = createEntityRef(builder, typeName);
    const mainRead = findAction(resource.reads, 'show') ?? findAction(resource.reads, 'index');
    const reference = `The resource \`${pathKey(resource.path)}\`.`;
    builder.objectType(ref, {
      description: paragraphs([
        resource.description,
        mainRead === null ? `${reference} The API describes only references to it.` : reference,
      ]),
      ...(identity.show !== null ? { interfaces: [this.node] } : {}),
      ...ofResource(resource.path),
    });
    if (identifiable) addIdentityFields(builder, ref);
    const fields = new FieldNames(typeName, report, identifiable ? ['id', 'databaseId'] : []);
    this.#resources.set(resource, { resource, ref, fields });
  }

  #addOwnFields({ resource, ref, fields }: ResourceType): void {
    const { builder, sources } = this.#assembly;
    const { identity, labelParameter } = resource;
    const label = resource.parameters.get('label');
    const hasTextLabel = label?.type === 'String' || label?.type === 'Text';
    if (labelParameter !== null && !hasTextLabel) {
      fields.claim('label', `${pathKey(resource.path)} label`);
      sources.set(resource, 'label', { parameter: labelParameter, isLabel: label === undefined });
      addLabelField(builder, ref, labelParameter, label !== undefined);
    }
    for (const parameter of resource.parameters.values()) {
      if (parameter.name === 'label' && labelParameter !== null && !hasTextLabel) continue;
      if (parameter.name === 'id' && identity.idPlaceholder !== null) continue;
      const fieldName = fieldNameOf(parameter.name);
      const unreserved = fieldName === 'databaseId' ? `${fieldName}Resource` : fieldName;
      const name = fields.claim(unreserved, `${pathKey(resource.path)} output.${parameter.name}`);
      sources.set(resource, name, this.#addField(ref, name, parameter, resource));
    }
  }

  #declareOutput(resource: ResourceModel, action: Action): EntityRef {
    const { builder, names, report } = this.#assembly;
    const ref = createEntityRef(builder, names.nameFor(resource, 'output', action.name));
    builder.objectType(ref, { description: `Output of ${codeOf(action.scope)}.` });
    const fields = new FieldNames(ref.name, report);
    for (const parameter of action.output.parameters) {
      const name = fields.claim(fieldNameOf(parameter.name), `${action.scope} output.${parameter.name}`);
      this.#addField(ref, name, parameter, resource);
    }
    return ref;
  }

  /** Returns the source of the field. */
  #addField(ref: EntityRef, name: string, parameter: Parameter, resource: ResourceModel): FieldSource {
    const { builder, model, enums, overrides } = this.#assembly;
    const isRequired =
      new Map(Object.entries(overrides.nonNull ?? {})).get(`${ref.name}.${name}`) ?? parameter.required;
    const target = targetOf(model, parameter);
    const type = target === null ? undefined : this.#resources.get(target);
    if (parameter.type !== 'Resource' || type === undefined) {
      addValueField(builder, ref, name, parameter, outputValueOf(enums, resource, parameter), isRequired);
      return { parameter: parameter.name };
    }
    addAssociationField(this.#assembly, { resource, ref, name }, parameter, type, isRequired);
    return { parameter: parameter.name, association: { parameter, target: type.resource } };
  }
}

/** A resource has a type if an action returns it or a parameter refers to it, even if the caller may not use it. */
function hasType(resource: ResourceModel): boolean {
  if (!resource.identifiable && resource.parameters.size === 0) return false;
  return resource.isReferenced || resource.reads.some(({ name }) => name === 'show' || name === 'index');
}
