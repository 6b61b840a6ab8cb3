// Makes the schema of a caller from that of a larger description: without the fields, arguments and types that the caller lacks.
import {
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
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
import { describeValues } from '../descriptions/descriptions.ts';
import { memo } from '../memo.ts';
import { pathKey } from '../model/model.ts';
import {
  actionOf,
  equalParametersOf,
  filterOf,
  neededScopesOf,
  parameterOf,
  placesOf,
  resolverWithout,
  resourceOf,
} from '../origin.ts';
import type { VisibleParts } from './visible-parts.ts';

type Field = GraphQLField<unknown, unknown>;
type Member = Field | GraphQLInputField;
type WithFields = GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType;

/** Makes the schema of a caller. Types to which no field leads are left out. The parts keep their order. */
export function filterSchema(schema: GraphQLSchema, parts: VisibleParts): GraphQLSchema {
  const filter = new Filter(schema, parts);
  const { query, mutation, subscription, ...config } = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    query: filter.rootOf(query),
    mutation: filter.rootOf(mutation),
    subscription: filter.rootOf(subscription),
    types: filter.types,
    assumeValid: true,
  });
}

class Filter {
  readonly #schema: GraphQLSchema;
  readonly #parts: VisibleParts;
  /** The fields that stay, of all types that have fields and stay. */
  readonly #members = new Map<string, readonly Member[]>();
  readonly #removed = new Set<string>();
  readonly #types = new Map<string, GraphQLNamedType>();

  constructor(schema: GraphQLSchema, parts: VisibleParts) {
    this.#schema = schema;
    this.#parts = parts;
    const all = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
    for (const type of all) if (hasFields(type)) this.#selectMembers(type);
    for (let before = -1; before < this.#removed.size; ) {
      before = this.#removed.size;
      for (const type of all) this.#removeIfEmpty(type);
    }
    const reachable = this.#findReachable();
    for (const type of all) if (reachable.has(type.name)) this.#types.set(type.name, this.#copy(type));
  }

  get types(): readonly GraphQLNamedType[] {
    return [...this.#types.values()];
  }

  rootOf(root: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined {
    return root ? (this.#types.get(root.name) as GraphQLObjectType | undefined) : undefined;
  }

  #selectMembers(type: WithFields): void {
    const path = resourceOf(type);
    if (path !== null && !this.#parts.hasObjects(path)) this.#removed.add(type.name);
    else
      this.#members.set(
        type.name,
        Object.values<Member>(type.getFields()).filter((member) =>
          path === null
            ? this.#isVisible(member) || this.#isOfEqual(type, member)
            : this.#isVisibleOn(path, member),
        ),
      );
  }

  /** Whether the caller has one of the equal outputs of a type with the parameter of a field. */
  #isOfEqual(type: WithFields, member: Member): boolean {
    const equal = equalParametersOf(type)?.get(parameterOf(member)?.name ?? '') ?? [];
    return equal.some((parameter) => this.#parts.hasParameter(parameter));
  }

  /** Whether a field or an argument stays, as far as its own origin decides. */
  #isVisible(element: Member | GraphQLArgument): boolean {
    const scopes = neededScopesOf(element);
    if (scopes !== null && !scopes.some((scope) => this.#parts.hasAction(scope))) return false;
    const action = actionOf(element);
    const parameter = action === null ? parameterOf(element) : filterOf(element);
    if (action !== null && !this.#parts.hasAction(action.scope)) return resolverWithout(element) !== null;
    return parameter === null || this.#parts.hasParameter(parameter);
  }

  /** Whether a field of the type of a resource stays. Its values may come from several actions. */
  #isVisibleOn(path: readonly string[], member: Member): boolean {
    if (member.name === 'label' && actionOf(member) === null && this.#parts.isReferred(path)) return true;
    const parameter = parameterOf(member);
    if (parameter !== null) return this.#parts.hasValue(path, parameter.name);
    return member.name !== 'label' && this.#isVisible(member);
  }

  /** Removes the fields of a type whose types have been removed, and the type if it has no fields or members left. */
  #removeIfEmpty(type: GraphQLNamedType): void {
    const { name } = type;
    const members = this.#members.get(name)?.filter((member) => !this.#isRemoved(member));
    if (members !== undefined) this.#members.set(name, members);
    const isEmpty =
      members?.length === 0 ||
      (isInterfaceType(type) && !this.#implementationsOf(type).some((own) => !this.#removed.has(own.name))) ||
      (isUnionType(type) && !type.getTypes().some((own) => this.#isMember(own)));
    if (isEmpty) this.#removed.add(name);
  }

  /** The types of fields and arguments without lists and nulls, which are asked for several times. */
  readonly #namedTypeOf = memo(({ type }: Member | GraphQLArgument): GraphQLNamedType => getNamedType(type));

  #isRemoved(element: Member | GraphQLArgument): boolean {
    return this.#removed.has(this.#namedTypeOf(element).name);
  }

  /** Types that implement an interface: those whose objects the caller may fetch by their ids. */
  #implementationsOf(type: GraphQLInterfaceType): readonly GraphQLObjectType[] {
    return this.#schema.getPossibleTypes(type).filter((own) => this.#isFetched(own));
  }

  #isFetched(type: GraphQLObjectType): boolean {
    const path = resourceOf(type);
    return path === null || this.#parts.hasAction(`${pathKey(path)}#show`);
  }

  #isMember(type: GraphQLObjectType): boolean {
    return !this.#removed.has(type.name) && this.#isFetched(type);
  }

  /** The arguments that stay, once it is known which types are removed. */
  readonly #argsOf = memo((member: Member): readonly GraphQLArgument[] =>
    'args' in member ? member.args.filter((arg) => this.#isVisible(arg) && !this.#isRemoved(arg)) : [],
  );

  #findReachable(): ReadonlySet<string> {
    const reachable = new Set<string>();
    const visit = (type: GraphQLNamedType | null | undefined): void => {
      if (!type || reachable.has(type.name) || this.#removed.has(type.name)) return;
      reachable.add(type.name);
      for (const member of this.#members.get(type.name) ?? []) {
        visit(this.#namedTypeOf(member));
        for (const arg of this.#argsOf(member)) visit(this.#namedTypeOf(arg));
      }
      if (isInterfaceType(type)) this.#implementationsOf(type).forEach(visit);
      if (isUnionType(type))
        type
          .getTypes()
          .filter((own) => this.#isMember(own))
          .forEach(visit);
      if (isObjectType(type)) this.#interfacesOf(type).forEach(visit);
    };
    [this.#schema.getQueryType(), this.#schema.getMutationType(), this.#schema.getSubscriptionType()].forEach(
      visit,
    );
    return reachable;
  }

  #interfacesOf(type: GraphQLObjectType): readonly GraphQLInterfaceType[] {
    return this.#isFetched(type) ? type.getInterfaces() : [];
  }

  #copy(type: GraphQLNamedType): GraphQLNamedType {
    const { name, description, extensions } = type;
    const shared = { name, description, extensions };
    const fields = () => this.#fieldsOf(name);
    if (isObjectType(type)) {
      const interfaces = () => this.#interfacesOf(type).map((own) => this.#mapped(own));
      return new GraphQLObjectType({ ...shared, interfaces, fields, isTypeOf: type.isTypeOf });
    }
    if (isInterfaceType(type))
      return new GraphQLInterfaceType({ ...shared, fields, resolveType: type.resolveType });
    if (isUnionType(type)) {
      const types = () => type.getTypes().flatMap((own) => (this.#isMember(own) ? [this.#mapped(own)] : []));
      return new GraphQLUnionType({ ...shared, types, resolveType: type.resolveType });
    }
    const places = placesOf(type);
    if (isEnumType(type) && places !== null) {
      const own = describeValues(places.filter((place) => this.#parts.hasPlace(place)));
      return new GraphQLEnumType({ ...type.toConfig(), description: own });
    }
    if (!isInputObjectType(type)) return type;
    return new GraphQLInputObjectType({
      ...shared,
      fields: () => this.#inputsOf((this.#members.get(name) ?? []) as readonly GraphQLInputField[]),
    });
  }

  #fieldsOf(typeName: string): Record<string, GraphQLFieldConfig<unknown, unknown>> {
    const fields = (this.#members.get(typeName) ?? []) as readonly Field[];
    return Object.fromEntries(
      fields.map((field) => {
        const { name, description, deprecationReason, extensions, subscribe } = field;
        const action = actionOf(field);
        const isLacking = action !== null && !this.#parts.hasAction(action.scope);
        const config = {
          ...{ description, deprecationReason, extensions, subscribe },
          type: this.#mapType(field.type),
          args: this.#inputsOf(this.#argsOf(field)),
          resolve: isLacking ? resolverWithout(field) : field.resolve,
        };
        return [name, config as GraphQLFieldConfig<unknown, unknown>];
      }),
    );
  }

  #inputsOf(inputs: readonly (GraphQLArgument | GraphQLInputField)[]) {
    return Object.fromEntries(
      inputs.map(({ name, description, type, defaultValue, deprecationReason, extensions }) => [
        name,
        { ...{ description, defaultValue, deprecationReason, extensions }, type: this.#mapType(type) },
      ]),
    );
  }

  #mapType<Type extends GraphQLType>(type: Type): Type {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#mapType(type.ofType)) as unknown as Type;
    if (isListType(type)) return new GraphQLList(this.#mapType(type.ofType)) as unknown as Type;
    return this.#mapped(type as GraphQLNamedType) as Type;
  }

  /** The type of the new schema. Built-in scalars are the same in all schemas. */
  #mapped<Type extends GraphQLNamedType>(type: Type): Type {
    return (this.#types.get(type.name) as Type | undefined) ?? type;
  }
}

const hasFields = (type: GraphQLNamedType): type is WithFields =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
