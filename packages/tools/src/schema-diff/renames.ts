// Finds the elements that have another name in the next version of a schema.
import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { originOf, resourceOf } from '../../../../src/index.ts';

type Field = GraphQLField<unknown, unknown>;
type Input = GraphQLArgument | GraphQLInputField;
type Member = Field | Input | GraphQLEnumValue;

/** The elements with other names: both coordinates, of the earlier and the later schema, e.g. `Book.title` and `Novel.name`. */
export type Renames = ReadonlyMap<string, string>;

/** Finds renames by what the elements stand for in the descriptions from which both schemas are assembled. */
export const findRenames = (before: GraphQLSchema, after: GraphQLSchema): Renames =>
  new Comparison(before, after).renames();

/** A leaf and an edge may stand for one parameter. */
function identify(member: Member): string | null {
  if (!('type' in member)) return String(member.value);
  const origin = originOf(member);
  return origin === null ? null : `${origin} ${isLeafType(getNamedType(member.type))}`;
}

/** Compares two schemas from their roots on. */
class Comparison {
  readonly #before: GraphQLSchema;
  readonly #after: GraphQLSchema;
  /** The later names of each type, the first one first. */
  readonly #types = new Map<string, Set<string>>();

  constructor(before: GraphQLSchema, after: GraphQLSchema) {
    this.#before = before;
    this.#after = after;
  }

  renames(): Renames {
    this.#pairTypes();
    const renames = new Map<string, string>();
    const later = this.#laterNames();
    for (const [name, newName] of later) {
      const types = [this.#before.getType(name), this.#after.getType(newName)] as const;
      if (types[0] === undefined || types[1] === undefined) continue;
      if (name !== newName) renames.set(name, newName);
      this.#addMembers(renames, [name, newName], membersOf(types[0]), membersOf(types[1]));
    }
    return renames;
  }

  #addMembers(
    renames: Map<string, string>,
    [host, newHost]: readonly [string, string],
    before: readonly Member[],
    after: readonly Member[],
  ): void {
    const pairs = matchMembers(before, after);
    const names = before.map(({ name }) => name);
    const moved = withoutClashes(
      names,
      pairs.map(([one, other]) => [one.name, other.name]),
    );
    for (const [one, other] of pairs) {
      const coordinates = [`${host}.${one.name}`, `${newHost}.${other.name}`] as const;
      if (moved.has(one.name)) renames.set(...coordinates);
      if ('args' in one && 'args' in other) this.#addMembers(renames, coordinates, one.args, other.args);
    }
  }

  /** One later name for each type: its own where it keeps it. */
  #laterNames(): ReadonlyMap<string, string> {
    const kept = [...this.#types].filter(([name, names]) => names.has(name)).map(([name]) => name);
    const later = new Map(kept.map((name) => [name, name]));
    const taken = new Set(kept);
    for (const [name, names] of this.#types) {
      if (later.has(name)) continue;
      const newName = [...names].find((one) => !taken.has(one));
      if (newName === undefined) continue;
      later.set(name, newName);
      taken.add(newName);
    }
    const moved = withoutClashes(Object.keys(this.#before.getTypeMap()), later);
    return new Map([...later].filter(([name, newName]) => name === newName || moved.has(name)));
  }

  /** Pairs the types of resources, those of the roots, and those to which equal members lead. */
  #pairTypes(): void {
    const resources = new Map(
      Object.values(this.#after.getTypeMap()).flatMap((type) => {
        const path = resourceOf(type);
        return path === null ? [] : [[path.join('.'), type] as const];
      }),
    );
    for (const type of Object.values(this.#before.getTypeMap())) {
      const path = resourceOf(type);
      if (path !== null) this.#pair(type, resources.get(path.join('.')));
    }
    for (const root of ['Query', 'Mutation', 'Subscription'] as const)
      this.#pair(this.#before[`get${root}Type`](), this.#after[`get${root}Type`]());
  }

  #pair(one: GraphQLNamedType | null | undefined, other: GraphQLNamedType | null | undefined): void {
    const waiting = [[one, other] as const];
    for (const [type, newType] of waiting) {
      if (!type || !newType || isScalarType(type) || type.constructor !== newType.constructor) continue;
      const names = this.#types.get(type.name) ?? new Set();
      if (names.has(newType.name) || String(resourceOf(type)) !== String(resourceOf(newType))) continue;
      this.#types.set(type.name, names.add(newType.name));
      const pairs = matchMembers(membersOf(type), membersOf(newType));
      for (const [member, newMember] of pairs.flatMap(([a, b]) => [[a, b] as const, ...argumentPairs(a, b)]))
        if ('type' in member && 'type' in newMember)
          waiting.push([getNamedType(member.type), getNamedType(newMember.type)]);
    }
  }
}

function argumentPairs(one: Member, other: Member): readonly (readonly [Member, Member])[] {
  if (!('args' in one && 'args' in other)) return [];
  return one.args.flatMap((arg) => {
    const newArg = other.args.find(({ name }) => name === arg.name);
    return newArg === undefined ? [] : [[arg, newArg] as const];
  });
}

function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isEnumType(type)) return type.getValues();
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))
    return Object.values<Member>(type.getFields());
  return [];
}

/** Pairs the members that are the same: first those that keep their name, then those that only another name has, then the rest by name. */
function matchMembers(
  before: readonly Member[],
  after: readonly Member[],
): readonly (readonly [Member, Member])[] {
  const left = new Set(before);
  const news = new Set(after);
  const pairs: (readonly [Member, Member])[] = [];
  const pair = (one: Member, other: Member | undefined): void => {
    if (other === undefined) return;
    left.delete(one);
    news.delete(other);
    pairs.push([one, other]);
  };
  const identities = new Map([...before, ...after].map((member) => [member, identify(member)]));
  const named = new Map(after.map((member) => [member.name, member]));
  for (const one of before) {
    const other = named.get(one.name);
    if (other !== undefined && identities.get(one) === identities.get(other)) pair(one, other);
  }
  const only = (members: ReadonlySet<Member>, identity: string): Member | undefined => {
    const [first, ...others] = [...members].filter((member) => identities.get(member) === identity);
    return others.length === 0 ? first : undefined;
  };
  for (const one of [...left]) {
    const identity = identities.get(one) ?? null;
    if (identity !== null && only(left, identity) === one) pair(one, only(news, identity));
  }
  for (const one of [...left]) {
    const other = named.get(one.name);
    if (other !== undefined && news.has(other)) pair(one, other);
  }
  return pairs;
}

/** Returns the later names that differ, without those that an earlier element keeps which has no other name later: it says something else. */
function withoutClashes(
  names: readonly string[],
  later: Iterable<readonly [name: string, newName: string]>,
): ReadonlyMap<string, string> {
  const moved = new Map([...later].filter(([name, newName]) => name !== newName));
  for (;;) {
    const held = new Set(names.filter((name) => !moved.has(name)));
    const clashes = [...moved].filter(([, newName]) => held.has(newName));
    if (clashes.length === 0) return moved;
    for (const [name] of clashes) moved.delete(name);
  }
}
