// Keeps the API's texts in another language beside a schema, whose shape is the same in all languages.
import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import type { Action, Description, Parameter, Resource } from '../../upstream/description/description.ts';
import { allResources } from '../../upstream/description/select-actions.ts';
import type { Steps } from '../../upstream/steps.ts';
import type { MessageOf } from '../../upstream/validation/validators.ts';

/** What a schema was made from, and the schema. */
interface Described {
  readonly schema: GraphQLSchema;
  readonly description: Description;
}

/** Anything that has a description: a part of a schema, or of what the API describes. */
interface Explained {
  readonly description?: string | null | undefined;
}

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument | GraphQLEnumValue;

/**
 * The texts of one schema in another language, as far as they differ: by the parts of the schema and of its description. It belongs to
 * that schema, and so contains nothing about what its callers may not see.
 */
export class SchemaTexts {
  /** Identifies the description that they are from. */
  readonly fingerprint: string;
  readonly #descriptions: ReadonlyMap<Explained, string>;
  readonly #reasons: ReadonlyMap<Explained, string>;
  readonly #messages: ReadonlyMap<object, string>;

  constructor(fingerprint: string, { descriptions, reasons, messages }: CollectedTexts) {
    this.fingerprint = fingerprint;
    this.#descriptions = descriptions;
    this.#reasons = reasons;
    this.#messages = messages;
  }

  /** The description of a part of the schema, or of a resource or an action of its description. */
  descriptionOf(part: Explained): string | null {
    return this.#descriptions.get(part) ?? part.description ?? null;
  }

  /** Why a part of the schema is deprecated; null where it is not. */
  reasonOf(part: Explained & { readonly deprecationReason?: string | null | undefined }): string | null {
    return this.#reasons.get(part) ?? part.deprecationReason ?? null;
  }

  /** Finds the message of a rule. */
  readonly messageOf: MessageOf = (rule) => this.#messages.get(rule);

  /** Writes the texts into the schema, which must serve no other language. */
  applyToSchema(): void {
    for (const [part, description] of this.#descriptions) Object.assign(part, { description });
    for (const [part, deprecationReason] of this.#reasons) Object.assign(part, { deprecationReason });
  }
}

/** What differs in another language. */
interface CollectedTexts {
  readonly descriptions: Map<Explained, string>;
  readonly reasons: Map<Explained, string>;
  readonly messages: Map<object, string>;
}

/**
 * Collects the texts that differ between a schema and the one that the same rights get in another language. The latter can be
 * forgotten then.
 * @returns Null when the schemas differ in more than texts: the rights, or the API, have changed meanwhile.
 */
export function* collectTexts(
  own: Described,
  other: Described,
  fingerprint: string,
): Steps<SchemaTexts | null> {
  const collector = new TextCollector();
  const types = Object.values(own.schema.getTypeMap());
  if (Object.keys(other.schema.getTypeMap()).length !== types.length) return null;
  for (const type of types) {
    if (isIntrospectionType(type)) continue;
    if (!collector.addType(type, other.schema.getType(type.name))) return null;
    yield;
  }
  const others = new Map(
    resourcesOf(other.description).map((resource) => [resource.path.join('.'), resource]),
  );
  for (const resource of resourcesOf(own.description)) {
    collector.addResource(resource, others.get(resource.path.join('.')));
    yield;
  }
  return new SchemaTexts(fingerprint, collector);
}

const typeOf = (member: Member): string => ('type' in member ? String(member.type) : '');

const resourcesOf = ({ resources, authentication }: Description): readonly Resource[] =>
  allResources([...(authentication.token?.resources ?? []), ...resources]);

class TextCollector implements CollectedTexts {
  readonly descriptions = new Map<Explained, string>();
  readonly reasons = new Map<Explained, string>();
  readonly messages = new Map<object, string>();
  /** One string for each text: an API repeats texts in many places. */
  readonly #texts = new Map<string, string>();

  /** Returns whether the types have the same shape. */
  addType(own: GraphQLNamedType, other: GraphQLNamedType | undefined): boolean {
    if (other === undefined) return false;
    this.#add(this.descriptions, own, own.description, other.description);
    if (isEnumType(own) && isEnumType(other)) return this.#addMembers(own.getValues(), other.getValues());
    if (isInputObjectType(own) && isInputObjectType(other))
      return this.#addMembers(Object.values(own.getFields()), Object.values(other.getFields()));
    if ((isObjectType(own) || isInterfaceType(own)) && (isObjectType(other) || isInterfaceType(other)))
      return this.#addMembers(Object.values(own.getFields()), Object.values(other.getFields()));
    return own.toString() === other.toString();
  }

  /** Adds the texts of a resource and its actions, and the messages of the actions' rules. */
  addResource(own: Resource, other: Resource | undefined): void {
    if (other === undefined) return;
    this.#add(this.descriptions, own, own.description, other.description);
    const actions = new Map(other.actions.map((action) => [action.name, action]));
    for (const action of own.actions) this.#addAction(action, actions.get(action.name));
  }

  #addAction(own: Action, other: Action | undefined): void {
    if (other === undefined) return;
    this.#add(this.descriptions, own, own.description, other.description);
    const parameters = new Map(other.input.parameters.map((parameter) => [parameter.name, parameter]));
    for (const parameter of own.input.parameters)
      this.#addMessages(parameter, parameters.get(parameter.name));
  }

  #addMessages(own: Parameter, other: Parameter | undefined): void {
    if (other === undefined || own.type === 'Resource' || other.type === 'Resource') return;
    const rules = new Map(Object.entries(other.validators));
    for (const [name, rule] of Object.entries(own.validators)) {
      const otherRule = rules.get(name);
      if (typeof rule === 'object' && typeof otherRule === 'object')
        this.#add(this.messages, rule, rule.message, otherRule.message);
    }
  }

  #addMembers(own: readonly Member[], others: readonly Member[]): boolean {
    if (own.length !== others.length) return false;
    const byName = new Map(others.map((member) => [member.name, member]));
    return own.every((member) => {
      const other = byName.get(member.name);
      if (other === undefined || typeOf(member) !== typeOf(other)) return false;
      this.#add(this.descriptions, member, member.description, other.description);
      if (member.deprecationReason != null)
        this.#add(this.reasons, member, member.deprecationReason, other.deprecationReason);
      return !('args' in member && 'args' in other) || this.#addMembers(member.args, other.args);
    });
  }

  /** A text that the other language lacks stays. */
  #add<Key>(
    texts: Map<Key, string>,
    key: Key,
    own: string | null | undefined,
    other: string | null | undefined,
  ): void {
    if (other == null || other === '' || other === own) return;
    const text = this.#texts.get(other) ?? other;
    this.#texts.set(text, text);
    texts.set(key, text);
  }
}
