// Names the types of resources, and the types that are derived from them.
import type { Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { exampleShapesOf, objectsOf } from '../model/example-shapes.ts';
import { returnsList } from '../model/list-paging.ts';
import { findAction, type Model, pathKey, type ResourceModel } from '../model/model.ts';
import { referredNameOf } from '../model/references.ts';
import { FreeNames } from './field-names.ts';
import {
  appendName,
  appendParameter,
  avoidReserved,
  avoidReservedType,
  baseNameOf,
  type ReservedNames,
  resultNameOf,
  rowNameOf,
  typeNameOf,
  withResource,
  withValue,
} from './naming.ts';

/** A type that is derived from a resource. */
interface DerivedType {
  /** `output`, `enum` and `shape` are named after their source only. */
  readonly kind:
    | 'connection'
    | 'edge'
    | 'enum'
    | 'filter'
    | 'filter_by'
    | 'input'
    | 'output'
    | 'payload'
    | 'shape';
  /** The action or parameter from which it is derived. Absent for types of the resource itself. */
  readonly source?: string;
  /** What the name has after that of the resource's type. */
  readonly suffix: string;
  /** Default: the name of the resource with the suffix. */
  readonly name?: string;
}

/** The types whose names end as those of Relay do. */
const RELAY_KINDS: readonly DerivedType['kind'][] = ['connection', 'edge', 'input', 'payload'];

type NameParts = Pick<Assembly, 'reserved' | 'report' | 'given'>;

/** Owns the names of types that resources share. No path of a resource is empty. */
const SHARED = '';

interface DerivedName {
  readonly name: string;
  readonly suffix: string;
  /** The finding to report when a type gets the name. Null if the name is the plain one. */
  readonly clash: string | null;
}

/**
 * The names of the types that are derived from resources. All names are assigned at once from the model, so they do not depend
 * on the order in which the types are created.
 */
export class TypeNames {
  readonly #names = new Map<string, DerivedName>();
  /** The dotted path of the resource to which each name is assigned. */
  readonly #owners = new Map<string, string>();
  readonly #freeNames = new FreeNames();
  readonly #parts: NameParts;
  /** The names in the schema of the types that have been asked for. */
  readonly #served = new Map<string, string>();

  /** Assigns all names. */
  constructor(model: Model, parts: NameParts) {
    const { reserved } = parts;
    this.#parts = parts;
    for (const [path, { typeName }] of model) this.#owners.set(typeName, path);
    // In a clash, the resource with the longer name keeps the plain name.
    const resources = [...model.values()].sort((a, b) => b.typeName.length - a.typeName.length);
    for (const resource of resources)
      for (const type of derivedTypesOf(resource)) this.#assign(resource, type, reserved);
  }

  /** Returns the name of a type, e.g. `BookCreateInput`. Adds a finding if another type has this name. */
  nameFor({ path }: ResourceModel, kind: DerivedType['kind'], source = ''): string {
    const derived = this.#names.get(keyOf(path, { kind, source }));
    if (derived === undefined) throw new TypeError(`expected ${path.join('.')} to have a ${kind} ${source}`);
    const { report, given } = this.#parts;
    if (derived.clash !== null && !given.has(derived.name))
      report.add('TYPE_NAME_CLASH', `${path.join('.')} ${derived.suffix}`, derived.clash);
    return this.#serve(derived.name);
  }

  /** Returns a name for what several resources share, or null if it is a resource's. */
  sharedName(name: string): string | null {
    const owner = this.#owners.get(name) ?? SHARED;
    if (owner !== SHARED || this.#parts.reserved.types.has(name)) return null;
    this.#owners.set(name, SHARED);
    return this.#serve(name);
  }

  /** Returns the name in the schema of a type. */
  #serve(name: string): string {
    const known = this.#served.get(name);
    if (known !== undefined) return known;
    const { given, reserved } = this.#parts;
    const isTaken = (wanted: string): boolean => this.#owners.has(wanted) || reserved.types.has(wanted);
    const served = given.nameFor(name, name, isTaken);
    this.#served.set(name, served);
    if (served !== name) this.#owners.set(served, this.#owners.get(name) ?? SHARED);
    return served;
  }

  /** Assigns `<Type><Suffix>`, or, if that name is taken, `<Type><Suffix>Value` for an enum and `<Type>Resource<Suffix>` for others. */
  #assign({ path, typeName, baseName }: ResourceModel, type: DerivedType, reserved: ReservedNames): void {
    const key = keyOf(path, type);
    if (this.#names.has(key)) return;
    const plain = type.name ?? appendName(type.source === undefined ? typeName : baseName, type.suffix);
    const isOfRelay = RELAY_KINDS.includes(type.kind);
    const ownName = isOfRelay ? avoidReserved(plain, reserved.types) : avoidReservedType(plain, reserved);
    const owner = this.#owners.get(ownName);
    if (owner === undefined) {
      this.#owners.set(ownName, pathKey(path));
      this.#names.set(key, { name: ownName, suffix: type.suffix, clash: null });
      return;
    }
    const other = type.kind === 'enum' ? withValue(ownName) : appendName(withResource(baseName), type.suffix);
    const name = this.#freeNames.find(other, this.#owners);
    this.#owners.set(name, pathKey(path));
    const clash = `its type name ${ownName} is already used by ${owner}; the type is named ${name}; ${adviceFor(name)}`;
    this.#names.set(key, { name, suffix: type.suffix, clash });
  }
}

const keyOf = (path: readonly string[], { kind, source = '' }: Omit<DerivedType, 'suffix'>): string =>
  `${path.join('.')} ${kind} ${source}`;

/** A value by which a filter matches all rows. */
const ALL = /^(?:all|any)$/i;

/** Returns the name of a parameter's enum, e.g. `ShelfBookState`, or `ShelfBookStateFilter` where only filters have all its values. */
export function enumNameOf({ baseName, actions, writes }: ResourceModel, parameter: string): string {
  const described = (parameters: readonly Parameter[]) =>
    parameters.filter((one) => one.name === parameter && choicesOf(one).length > 0);
  const name = appendParameter(baseName, parameter);
  const isOfFilters =
    actions.every(({ output }) => described(output.parameters).length === 0) &&
    writes.every(({ input }) => described(input.parameters).length === 0);
  const values = actions.flatMap(({ input }) => described(input.parameters).flatMap(choicesOf));
  if (isOfFilters && values.some(({ value }) => ALL.test(String(value)))) return `${name}Filter`;
  return name === baseName ? withValue(name) : name;
}

const choicesOf = (parameter: Parameter) =>
  parameter.type === 'String' ? (parameter.validators.include?.values ?? []) : [];

/** Yields all types that may be derived from a resource. The earlier of two types with the same name keeps it. */
function* derivedTypesOf(resource: ResourceModel): Generator<DerivedType> {
  const { actions } = resource;
  for (const kind of ['filter', 'connection', 'edge'] as const) yield { kind, suffix: kind };
  const filters = (findAction(actions, 'index')?.input.parameters ?? []).filter(
    ({ name, type }) => type === 'Resource' || referredNameOf(name) !== null,
  );
  for (const source of namesOf(filters)) yield { kind: 'filter_by', source, suffix: `filter_by_${source}` };
  const reads = new Set(resource.reads);
  for (const action of actions) {
    const { name: source } = action;
    const isRead = reads.has(action);
    const suffix = isRead ? rowNameOf(action) : resultNameOf(action);
    yield { kind: 'output', source, suffix };
    if (isRead && !returnsList(action)) continue;
    for (const kind of isRead ? (['connection', 'edge'] as const) : (['input', 'payload'] as const))
      yield { kind, source, suffix: `${isRead ? suffix : source}_${kind}` };
  }
  for (const [name, shape] of exampleShapesOf(actions))
    for (const { source, words } of objectsOf(shape, { source: name, words: name }))
      yield { kind: 'shape', source, suffix: words };
  const enums = actions
    .flatMap(({ input, output }) => [...input.parameters, ...output.parameters])
    .filter((parameter) => choicesOf(parameter).length > 0);
  for (const source of namesOf(enums))
    yield { kind: 'enum', source, suffix: source, name: enumNameOf(resource, source) };
}

const namesOf = (parameters: readonly Parameter[]): readonly string[] =>
  [...new Set(parameters.map(({ name }) => name))].sort();

/** The path of a resource, the name of its type, and that of what is made of the resource. */
type NamedResource = Pick<ResourceModel, 'path' | 'typeName' | 'baseName'>;

/**
 * Names the types of all resources. If two paths map to the same name, the later one gets another name and a finding. What is made of
 * a resource to whose type the overrides give a name follows it.
 */
export function nameTypes(
  paths: readonly (readonly string[])[],
  { reserved, report, given }: NameParts,
): readonly NamedResource[] {
  const owners = new Map<string, string>();
  const freeNames = new FreeNames();
  const resources = paths.map((path) => {
    let baseName = baseNameOf(path);
    let typeName = typeNameOf(path, baseName, reserved);
    const owner = owners.get(typeName);
    if (owner !== undefined) {
      const ownName = typeName;
      typeName = freeNames.find(avoidReserved(withResource(baseName), reserved.types), owners);
      baseName = typeName;
      if (!given.has(typeName)) {
        const reason = `its type name ${ownName} is already the name of ${owner}; the type is named ${typeName}; ${adviceFor(typeName)}`;
        report.add('TYPE_NAME_CLASH', pathKey(path), reason);
      }
    }
    owners.set(typeName, pathKey(path));
    return { path, typeName, baseName };
  });
  return giveNames(resources, { reserved, given });
}

const adviceFor = (name: string): string =>
  `choose another name in the overrides: "names": { "${name}": "…" }`;

/** Gives types of resources the names of the overrides, except where two would have the same. */
function giveNames(
  resources: readonly NamedResource[],
  { reserved, given }: Pick<NameParts, 'reserved' | 'given'>,
): readonly NamedResource[] {
  let named = resources.map((own) => {
    const isReserved = (wanted: string): boolean => typeNameOf(own.path, wanted, reserved) !== wanted;
    return { own, name: given.nameFor(own.typeName, own.typeName, isReserved) };
  });
  let clashes: number;
  do {
    clashes = 0;
    const all = named.map(({ name }) => name);
    named = named.map(({ own, name }) => {
      const { typeName } = own;
      if (name === typeName || all.indexOf(name) === all.lastIndexOf(name)) return { own, name };
      given.refuse(typeName);
      clashes += 1;
      return { own, name: typeName };
    });
  } while (clashes > 0);
  return named.map(({ own, name }) =>
    name === own.typeName ? own : { path: own.path, typeName: name, baseName: name },
  );
}
