// Names the types of resources, and the types that are derived from them.
import type { Parameter } from '../../upstream/description/description.ts';
import { exampleShapesOf, objectsOf } from '../model/example-shapes.ts';
import { returnsList } from '../model/list-paging.ts';
import { findAction, type Model, pathKey, type ResourceModel } from '../model/model.ts';
import type { Overrides } from '../model/overrides.ts';
import { referredNameOf } from '../model/references.ts';
import type { Report } from '../model/report.ts';
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
  readonly #report: Report;

  /** Assigns all names. */
  constructor(model: Model, reserved: ReservedNames, report: Report) {
    this.#report = report;
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
    if (derived.clash !== null)
      this.#report.add('TYPE_NAME_CLASH', `${path.join('.')} ${derived.suffix}`, derived.clash);
    return derived.name;
  }

  /** Returns a name for what several resources share, or null if it is a resource's. */
  sharedName(name: string, reserved: ReservedNames): string | null {
    const owner = this.#owners.get(name) ?? SHARED;
    if (owner !== SHARED || reserved.types.has(name)) return null;
    this.#owners.set(name, SHARED);
    return name;
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
    // If one resource has both names, another type name changes both.
    const isOwn = owner === pathKey(path);
    const advice = isOwn ? '' : `; choose another name in the overrides: "typeNames": { "${owner}": "…" }`;
    const clash = `its type name ${ownName} is already used by ${owner}; the type is named ${name}${advice}`;
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

/** Returns all types that may be derived from a resource. The earlier of two types with the same name keeps it. */
function derivedTypesOf(resource: ResourceModel): readonly DerivedType[] {
  const { actions, reads } = resource;
  const isRead = new Set(reads);
  const filters = (findAction(actions, 'index')?.input.parameters ?? []).filter(
    ({ name, type }) => type === 'Resource' || referredNameOf(name) !== null,
  );
  const enums = actions
    .flatMap(({ input, output }) => [...input.parameters, ...output.parameters])
    .filter((parameter) => choicesOf(parameter).length > 0);
  return [
    ...(['filter', 'connection', 'edge'] as const).map((kind) => ({ kind, suffix: kind })),
    ...namesOf(filters).map((source) => ({
      kind: 'filter_by' as const,
      source,
      suffix: `filter_by_${source}`,
    })),
    ...actions.flatMap((action) => {
      const { name: source } = action;
      const name = isRead.has(action) ? rowNameOf(action) : source;
      const output = isRead.has(action) ? name : resultNameOf(action);
      const parts = isRead.has(action) ? (['connection', 'edge'] as const) : (['input', 'payload'] as const);
      const isPlain = parts[0] === 'connection' && !returnsList(action);
      const further = (isPlain ? [] : parts).map((kind) => ({ kind, source, suffix: `${name}_${kind}` }));
      return [{ kind: 'output' as const, source, suffix: output }, ...further];
    }),
    ...[...exampleShapesOf(actions)].flatMap(([name, shape]) =>
      objectsOf(shape, { source: name, words: name }).map(({ source, words }) => ({
        kind: 'shape' as const,
        source,
        suffix: words,
      })),
    ),
    ...namesOf(enums).map((source) => ({
      kind: 'enum' as const,
      source,
      suffix: source,
      name: enumNameOf(resource, source),
    })),
  ];
}

const namesOf = (parameters: readonly Parameter[]): readonly string[] =>
  [...new Set(parameters.map(({ name }) => name))].sort();

/** Returns the type name from the overrides. `hasOwn` is needed because a resource may have a name such as `constructor`. */
function overriddenTypeName(path: readonly string[], { typeNames = {} }: Overrides): string | undefined {
  const key = pathKey(path);
  return Object.hasOwn(typeNames, key) ? typeNames[key] : undefined;
}

/** The name of a resource's type, and that of what is made of the resource. */
type ResourceName = Pick<ResourceModel, 'typeName' | 'baseName'>;

/** Names the types of all resources. If two paths map to the same name, the later one gets another name and a finding. */
export function nameTypes(
  paths: ReadonlyMap<string, readonly string[]>,
  overrides: Overrides,
  reserved: ReservedNames,
  report: Report,
): ReadonlyMap<string, ResourceName> {
  const names = new Map<string, ResourceName>();
  const owners = new Map<string, string>();
  const freeNames = new FreeNames();
  for (const [key, path] of paths) {
    const given = overriddenTypeName(path, overrides);
    let baseName = given ?? baseNameOf(path);
    let typeName = typeNameOf(path, baseName, reserved);
    if (given !== undefined && typeName !== given) {
      const reason = `the overrides set the type name ${given}, which is reserved; the type is named ${typeName}`;
      report.add('TYPE_NAME_CLASH', key, reason);
    }
    const owner = owners.get(typeName);
    if (owner !== undefined) {
      const ownName = typeName;
      typeName = freeNames.find(avoidReserved(withResource(baseNameOf(path)), reserved.types), owners);
      baseName = typeName;
      const reason = `its type name ${ownName} is already the name of ${owner}; the type is named ${typeName}; choose another name in the overrides: "typeNames": { "${key}": "…" }`;
      report.add('TYPE_NAME_CLASH', key, reason);
    }
    names.set(key, { typeName, baseName });
    owners.set(typeName, key);
  }
  return names;
}
