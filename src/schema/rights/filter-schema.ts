// Makes the schema of a caller from that of a larger description: without the fields, arguments and types that the caller lacks.
import {
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { createReachable } from '../build-schema.ts';
import { describeResource, describeValues } from '../descriptions/descriptions.ts';
import { memo } from '../memo.ts';
import { pathKey } from '../model/model.ts';
import { actionOf, parameterOf, readOrigin, resourceOf, type SchemaElement } from '../origin.ts';
import type { VisibleParts } from './visible-parts.ts';

/** A field, an input field or an argument. */
interface Member extends SchemaElement {
  readonly type: GraphQLType;
}

/** Makes the schema of a caller. Types to which no field leads are left out. The parts keep their order. */
export function filterSchema(schema: GraphQLSchema, parts: VisibleParts): GraphQLSchema {
  const filter = new Filter(schema, parts);
  const { query, mutation, subscription, types, ...config } = schema.toConfig();
  const copyRoot = (root: GraphQLObjectType | null | undefined) =>
    root && filter.keeps(root) ? filter.copy(root) : null;
  return createReachable({
    ...config,
    query: copyRoot(query),
    mutation: copyRoot(mutation),
    subscription: copyRoot(subscription),
    types: types.filter((type) => filter.keeps(type)).map((type) => filter.copy(type)),
    assumeValid: true,
  });
}

class Filter {
  readonly #schema: GraphQLSchema;
  readonly #parts: VisibleParts;
  readonly #kept = new Map<GraphQLNamedType, boolean>();
  readonly #copyOf = memo((type: GraphQLNamedType) => this.#create(type));

  constructor(schema: GraphQLSchema, parts: VisibleParts) {
    this.#schema = schema;
    this.#parts = parts;
  }

  /** Whether the caller has a field or a member of a type. */
  keeps(type: GraphQLNamedType): boolean {
    const known = this.#kept.get(type);
    if (known !== undefined) return known;
    // Types that lead to each other only are kept, and left out by the schema unless something leads to them.
    this.#kept.set(type, true);
    const isKept = this.#hasParts(type);
    this.#kept.set(type, isKept);
    return isKept;
  }

  /** Returns the type of the caller's schema. */
  copy<Type extends GraphQLNamedType>(type: Type): Type {
    return this.#copyOf(type) as Type;
  }

  #hasParts(type: GraphQLNamedType): boolean {
    if (isUnionType(type) || isInterfaceType(type))
      return this.#schema.getPossibleTypes(type).some((own) => this.#keepsMember(own));
    if (!isObjectType(type) && !isInputObjectType(type)) return true;
    const { resource } = readOrigin(type);
    const key = resource && pathKey(resource);
    if (key !== undefined && !this.#parts.referred.has(key) && !this.#parts.values.has(key)) return false;
    return Object.values<Member>(type.getFields()).some((field) => this.#hasField(type, field));
  }

  /** Whether the objects of a type may stand where an interface or a union is: the caller may fetch them by their ids. */
  #keepsMember(type: GraphQLObjectType): boolean {
    return this.#isFetched(type) && this.keeps(type);
  }

  #isFetched(type: GraphQLNamedType): boolean {
    const path = resourceOf(type);
    return path === null || this.#parts.scopes.has(`${pathKey(path)}#show`);
  }

  #hasField(type: GraphQLNamedType, field: Member): boolean {
    const path = resourceOf(type);
    const isVisible =
      path === null
        ? this.#isVisible(field) || this.#isOfEqual(type, field)
        : this.#isVisibleOn(pathKey(path), field);
    return isVisible && this.#hasNaming(type, field) && this.keeps(getNamedType(field.type));
  }

  /** Whether the caller has the output that names the resource of a reference's objects, if there is one. */
  #hasNaming(type: GraphQLNamedType, field: Member): boolean {
    const { source } = readOrigin(field);
    if (source === undefined || !('namedBy' in source) || !('getFields' in type)) return true;
    const { namedBy } = source;
    const naming = Object.values<Member>(type.getFields()).find((own) => parameterOf(own)?.name === namedBy);
    return naming === undefined || this.#hasField(type, naming);
  }

  /** Whether the caller has one of the equal outputs of a type with the parameter of a field. */
  #isOfEqual(type: GraphQLNamedType, field: Member): boolean {
    const equal = readOrigin(type).parameters?.get(parameterOf(field)?.name ?? '') ?? [];
    return equal.some((parameter) => this.#parts.parameters.has(parameter));
  }

  /** Whether a field or an argument stays, as far as its own origin decides. */
  #isVisible(member: Member): boolean {
    const { action, filter, parameter = filter, resolveWithoutAction, scopes } = readOrigin(member);
    if (scopes?.some((scope) => this.#parts.scopes.has(scope)) === false) return false;
    if (action !== undefined && !this.#parts.scopes.has(action.scope))
      return resolveWithoutAction !== undefined;
    return parameter === undefined || this.#parts.parameters.has(parameter);
  }

  /** Whether a field of the type of a resource stays. Its values may come from several actions. */
  #isVisibleOn(resource: string, field: Member): boolean {
    const { parameter, source = {} } = readOrigin(field);
    const isLabel = 'labels' in source;
    if (isLabel && this.#parts.referred.has(resource)) return true;
    if (parameter !== undefined) return this.#parts.values.get(resource)?.has(parameter.name) === true;
    return !isLabel && this.#isVisible(field);
  }

  #create(type: GraphQLNamedType): GraphQLNamedType {
    if (isIntrospectionType(type)) return type;
    if (isObjectType(type)) {
      const config = type.toConfig();
      const parts = this.#partsOf(type, config.fields);
      return new GraphQLObjectType({ ...config, ...this.#describe(type), ...parts });
    }
    if (isInterfaceType(type)) {
      const config = type.toConfig();
      return new GraphQLInterfaceType({ ...config, ...this.#partsOf(type, config.fields) });
    }
    if (isInputObjectType(type)) {
      const config = type.toConfig();
      const isKept = (field: Member) => this.#hasField(type, field);
      return new GraphQLInputObjectType({ ...config, fields: () => this.#select(config.fields, isKept) });
    }
    if (isUnionType(type)) {
      const types = type.getTypes().filter((own) => this.#keepsMember(own));
      return new GraphQLUnionType({ ...type.toConfig(), types: () => types.map((own) => this.copy(own)) });
    }
    const places = readOrigin(type).places?.filter((place) => this.#parts.places.has(place));
    if (!isEnumType(type) || places === undefined) return type;
    return new GraphQLEnumType({ ...type.toConfig(), description: describeValues(places) });
  }

  /** Returns the description of a resource of which the caller has only references; otherwise nothing, so that the type keeps its own. */
  #describe(type: GraphQLObjectType) {
    const { resource } = readOrigin(type);
    if (resource === undefined || this.#parts.described.has(pathKey(resource))) return null;
    const description = describeResource(resource, null, false);
    return { extensions: { resource, text: description } };
  }

  #partsOf(
    type: GraphQLObjectType | GraphQLInterfaceType,
    fields: Readonly<Record<string, GraphQLFieldConfig<unknown, unknown>>>,
  ) {
    const interfaces = this.#isFetched(type) ? type.getInterfaces() : [];
    // An interface that the user of the library adds may have fields that the caller lacks.
    const isProvided = (own: GraphQLInterfaceType): boolean =>
      Object.keys(own.getFields()).every((name) => name in this.copy(type).getFields());
    return {
      interfaces: () => interfaces.map((own) => this.copy(own)).filter(isProvided),
      fields: () => this.#fieldsOf(type, fields),
    };
  }

  #fieldsOf(type: GraphQLNamedType, fields: Readonly<Record<string, GraphQLFieldConfig<unknown, unknown>>>) {
    const isKept = (field: GraphQLFieldConfig<unknown, unknown>) =>
      this.#hasField(type, field) && (isOfApi(field) || this.#keepsArguments(field));
    const kept = this.#select(fields, isKept);
    for (const field of Object.values(kept)) {
      const { action, resolveWithoutAction } = readOrigin(field);
      field.args = this.#select(field.args ?? {}, (arg) => this.#keepsArgument(arg));
      if (resolveWithoutAction !== undefined && !this.#parts.scopes.has(action?.scope ?? ''))
        field.resolve = resolveWithoutAction;
    }
    return kept;
  }

  #keepsArguments({ args = {} }: GraphQLFieldConfig<unknown, unknown>): boolean {
    return Object.values(args).every((arg) => this.#keepsArgument(arg));
  }

  #keepsArgument(arg: GraphQLArgumentConfig): boolean {
    return this.#isVisible(arg) && this.keeps(getNamedType(arg.type));
  }

  /** Copies the members that stay, with the types of the caller's schema. */
  #select<Config extends Member>(
    members: Readonly<Record<string, Config>>,
    isKept: (member: Config) => boolean,
  ): Record<string, Config> {
    const kept = Object.entries(members).filter(([, member]) => isKept(member));
    return Object.fromEntries(
      kept.map(([name, member]) => [name, { ...member, type: this.#typeOf(member.type) }]),
    );
  }

  #typeOf(type: GraphQLType): GraphQLType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#typeOf(type.ofType));
    return isListType(type) ? new GraphQLList(this.#typeOf(type.ofType)) : this.copy(type);
  }
}

/** Whether a field stands for a part of the API, which may have hidden single arguments from the caller. */
const isOfApi = (field: Member): boolean => actionOf(field) !== null || parameterOf(field) !== null;
