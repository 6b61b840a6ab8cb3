import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Builder } from '../builder.ts';
import {
  actionOf,
  isActionState,
  isSameType,
  type Model,
  pathKey,
  type ResourceModel,
} from '../model/model.ts';
import type { Report } from '../model/report.ts';
import { FieldNames } from '../names/field-names.ts';
import { fieldNameOf } from '../names/naming.ts';
import type { TypeNames } from '../names/type-names.ts';
import type { FieldSources } from '../resolve/projection.ts';
import { paragraphs } from './descriptions.ts';
import type { Enums } from './enums.ts';
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
import { outputValueOf } from './output-values.ts';

/** What object types are made from. */
export interface ObjectTypesOptions {
  readonly builder: Builder;
  readonly model: Model;
  readonly metaNamespace: string;
  readonly names: TypeNames;
  readonly sources: FieldSources;
  readonly enums: Enums;
  readonly report: Report;
}

/** The object types of one schema: one a resource, and one for each output that does not fit its resource's. */
export class ObjectTypes {
  readonly node: ReturnType<typeof createNodeInterface>;
  readonly #options: ObjectTypesOptions;
  readonly #resources = new Map<ResourceModel, { readonly ref: EntityRef; readonly fields: FieldNames }>();
  readonly #outputs = new Map<Action, EntityRef>();

  constructor(options: ObjectTypesOptions) {
    const { builder, model } = options;
    this.#options = options;
    this.node = createNodeInterface(builder, model);
    for (const resource of model.values()) if (hasType(resource)) this.#declare(resource);
    for (const [resource, { ref, fields }] of this.#resources) this.#addOwnFields(resource, ref, fields);
  }

  /** Every resource that has a type. */
  get resources(): readonly ResourceModel[] {
    return [...this.#resources.keys()];
  }

  /** The type of a resource and the names of its fields, for those who add some; null where it has no type. */
  typeFor(resource: ResourceModel): { readonly ref: EntityRef; readonly fields: FieldNames } | null {
    return this.#resources.get(resource) ?? null;
  }

  /** The type of an action's output: its resource's where the output fits, else one of its own. */
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

  /** Whether an action's output is objects of its resource's type: the same parameters, and their ids known. */
  fits(resource: ResourceModel, action: Action): boolean {
    if (!this.#resources.has(resource)) return false;
    const isUnited = action.name === 'show' || action.name === 'index';
    if (isUnited && resource.reads.includes(action)) return true;
    const { layout, parameters } = action.output;
    if (!layout.startsWith('object') && !isActionState(resource.path)) return false;
    const { placeholders, idPlaceholder } = resource.identity;
    const known = new Set([...action.path.placeholders, ...parameters.map((parameter) => parameter.name)]);
    const hasIds = placeholders.every(
      (placeholder) => known.has(placeholder) || (placeholder === idPlaceholder && known.has('id')),
    );
    const isOfType = (parameter: Parameter): boolean => {
      const field = resource.parameters.get(parameter.name);
      return field !== undefined && isSameType(field, parameter);
    };
    return hasIds && parameters.every(isOfType);
  }

  #declare(resource: ResourceModel): void {
    const { builder, report } = this.#options;
    const { typeName, identity, identifiable } = resource;
    const ref = createEntityRef(builder, typeName);
    const lead = actionOf(resource.reads, 'show') ?? actionOf(resource.reads, 'index');
    const place = `The resource \`${pathKey(resource.path)}\``;
    builder.objectType(ref, {
      description: paragraphs([
        resource.description,
        lead === null ? `${place}, of which the API tells you no more than what refers to it.` : `${place}.`,
      ]),
      ...(identity.show !== null ? { interfaces: [this.node] } : {}),
    });
    const fields = new FieldNames(typeName, report);
    if (identifiable) {
      addIdentityFields(builder, ref);
      fields.claim('id', typeName);
      fields.claim('databaseId', typeName);
    }
    this.#resources.set(resource, { ref, fields });
  }

  #addOwnFields(resource: ResourceModel, ref: EntityRef, fields: FieldNames): void {
    const { builder, sources } = this.#options;
    const { identity, labelParameter } = resource;
    const own = resource.parameters.get('label');
    const isText = own?.type === 'String' || own?.type === 'Text';
    if (labelParameter !== null && !isText) {
      fields.claim('label', `${pathKey(resource.path)} label`);
      sources.set(resource, 'label', { parameter: labelParameter, isLabel: own === undefined });
      addLabelField(builder, ref, labelParameter, own !== undefined);
    }
    for (const parameter of resource.parameters.values()) {
      if (parameter.name === 'label' && labelParameter !== null && !isText) continue;
      if (parameter.name === 'id' && identity.idPlaceholder !== null) continue;
      const plain = fieldNameOf(parameter.name);
      const unreserved = plain === 'databaseId' ? `${plain}Resource` : plain;
      const name = fields.claim(unreserved, `${pathKey(resource.path)} output.${parameter.name}`);
      this.#addField(ref, name, parameter, resource, true);
    }
  }

  #declareOutput(resource: ResourceModel, action: Action): EntityRef {
    const { builder, names, report } = this.#options;
    const ref = createEntityRef(builder, names.claim(resource, action.name));
    builder.objectType(ref, { description: `What \`${action.scope}\` answers.` });
    const fields = new FieldNames(ref.name, report);
    for (const parameter of action.output.parameters) {
      const name = fields.claim(fieldNameOf(parameter.name), `${action.scope} output.${parameter.name}`);
      this.#addField(ref, name, parameter, resource, false);
    }
    return ref;
  }

  /** @param isOwn Whether it is the resource's own type, and not that of one output. */
  #addField(
    ref: EntityRef,
    name: string,
    parameter: Parameter,
    resource: ResourceModel,
    isOwn: boolean,
  ): void {
    const { builder, model, sources, metaNamespace, enums } = this.#options;
    const target = targetOf(model, parameter);
    const targetRef = target === null ? undefined : this.#resources.get(target)?.ref;
    if (parameter.type !== 'Resource' || target === null || targetRef === undefined) {
      addValueField(builder, ref, name, parameter, (plain) => outputValueOf(enums, resource, plain));
      if (isOwn) sources.set(resource, name, { parameter: parameter.name });
      return;
    }
    addAssociationField(builder, ref, { name, parameter, target, targetRef }, sources, metaNamespace);
    if (isOwn) sources.set(resource, name, { parameter: parameter.name, association: { parameter, target } });
  }
}

/** Every resource that something returns or refers to has a type, also when the caller may not use it. */
function hasType(resource: ResourceModel): boolean {
  if (!resource.identifiable && resource.parameters.size === 0) return false;
  return resource.isReferred || resource.reads.some(({ name }) => name === 'show' || name === 'index');
}
