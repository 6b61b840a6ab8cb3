// Derives the model of a schema from a description: its resources, their names and identities.

import type { Identity } from '../../loaders/identity.ts';
import type {
  Action,
  Description,
  Parameter,
  Resource,
  ResourceParameter,
} from '../../upstream/description/description.ts';
import { allResources } from '../../upstream/description/resource-tree.ts';
import type { Steps } from '../../upstream/steps.ts';
import { FreeNames } from '../names/free-names.ts';
import {
  ACTION_STATE,
  avoidReserved,
  clashingTypeName,
  fieldNameOf,
  lowerFirst,
  type ReservedNames,
  typeNameOf,
} from '../names/naming.ts';
import { findObjectList } from './object-list.ts';
import type { Overrides } from './overrides.ts';
import { derivePlaceholderTypes } from './placeholder-types.ts';
import { collectReferences } from './references.ts';
import type { Report } from './report.ts';
import { isSameType } from './same-type.ts';
import type { SessionUser } from './session-user.ts';

/** One resource of the schema: described, or only referred to in the caller's description. */
export interface ResourceModel {
  readonly path: readonly string[];
  readonly typeName: string;
  /** Prefix of the names of its root fields, e.g. `shelfBook`. */
  readonly fieldPrefix: string;
  readonly description: string | null;
  readonly actions: readonly Action[];
  readonly reads: readonly Action[];
  readonly writes: readonly Action[];
  readonly parent: ResourceModel | null;
  readonly identity: Identity;
  /** Whether its objects have IDs, and so the type has a field `id`. */
  readonly identifiable: boolean;
  /** The output parameters of `show` and `index`, if they are reads. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The parameter that supplies `label`. Null if no association refers to the resource. */
  readonly labelParameter: string | null;
  /** Whether associations refer to the resource. */
  readonly isReferenced: boolean;
}

/** All resources of a description by dotted path. */
export type Model = ReadonlyMap<string, ResourceModel>;

/** Returns the key of a resource in the model: its dotted path. */
export const pathKey = (path: readonly string[]): string => path.join('.');

/** Returns the action with a name, or null. */
export function findAction(actions: readonly Action[], name: string): Action | null {
  return actions.find((action) => action.name === name) ?? null;
}

/**
 * Creates the model with every resource that the description describes or refers to. The order of resources and actions does
 * not depend on the description: parents come first, then names decide.
 * @param user The resource to which the session refers where the description may lack it. Default: null.
 */
export function* createModel(
  description: Description,
  overrides: Overrides,
  reserved: ReservedNames,
  report: Report,
  user: SessionUser | null = null,
): Steps<Model> {
  const mainResources = allResources(description.resources);
  const names = new Set(mainResources.map((resource) => pathKey(resource.path)));
  // The description has the resources for signing in under `authentication`, apart from the others.
  const signIn = allResources(description.authentication.token?.resources ?? []).filter((resource) => {
    const isTaken = names.has(pathKey(resource.path));
    if (isTaken)
      report.add(
        'RESOURCE_NAME_CLASH',
        `authentication ${pathKey(resource.path)}`,
        'another resource has the same name; left out',
      );
    return !isTaken;
  });
  const resources = [...mainResources, ...signIn];
  const references = yield* collectReferences(
    resources,
    user === null ? [] : [user.reference, ...user.parameters],
  );
  const paths = new Map<string, readonly string[]>();
  const referred = [...references.values()].flatMap(([reference]) => (reference ? [reference.resource] : []));
  for (const path of [...resources.map((resource) => resource.path), ...referred]) {
    for (let depth = 1; depth <= path.length; depth++)
      paths.set(pathKey(path.slice(0, depth)), path.slice(0, depth));
  }
  const described = new Map(resources.map((resource) => [pathKey(resource.path), resource]));
  const ordered = [...paths].sort(([a, { length: x }], [b, { length: y }]) => x - y || compareNames(a, b));
  const typeNames = nameTypes(new Map(ordered), overrides, reserved, report);
  const model = new Map<string, ResourceModel>();
  for (const [key, path] of ordered) {
    const parent = model.get(pathKey(path.slice(0, -1))) ?? null;
    const names = { path, typeName: typeNames.get(key) ?? typeNameOf(path) };
    const referring = references.get(key) ?? [];
    const more = user !== null && key === pathKey(user.reference.resource) ? user.parameters : [];
    model.set(
      key,
      createResourceModel(names, described.get(key), parent, referring, more, overrides, report),
    );
    yield;
  }
  return model;
}

const compareNames = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function createResourceModel(
  { path, typeName }: Pick<ResourceModel, 'path' | 'typeName'>,
  resource: Resource | undefined,
  parent: ResourceModel | null,
  references: readonly ResourceParameter[],
  moreParameters: readonly Parameter[],
  overrides: Overrides,
  report: Report,
): ResourceModel {
  const actions = [...(resource?.actions ?? [])].sort((a, b) => compareNames(a.name, b.name));
  const reads = actions.filter((action) => !isWrite(action, overrides));
  const parameters = new Map([
    ...moreParameters.map((parameter) => [parameter.name, parameter] as const),
    ...outputParameters(reads, report),
  ]);
  const segments = deriveIdentity(path, parent, reads, parameters.has('id') || references.length > 0);
  const ancestors = ancestorsOf(parent).map(({ identity }) => identity);
  const valueTypes = derivePlaceholderTypes(segments, ancestors, actions, references);
  const identity = { valueTypes, list: findObjectList(segments, reads), ...segments };
  const overridden = overriddenTypeName(path, overrides) !== undefined;
  return {
    path,
    typeName,
    fieldPrefix: overridden ? lowerFirst(typeName) : fieldNameOf(...path),
    description: resource?.description ?? null,
    actions,
    reads,
    writes: actions.filter((action) => isWrite(action, overrides)),
    parent,
    identity,
    identifiable: identity.show !== null || identity.idPlaceholder !== null,
    parameters,
    labelParameter: references.length === 0 ? null : labelParameterOf(parameters, references),
    isReferenced: references.length > 0,
  };
}

/** An action is a write if its method is not GET, if it blocks, or if it has no output. The overrides take precedence. */
function isWrite(action: Action, overrides: Overrides): boolean {
  if (overrides.queries?.includes(action.scope)) return false;
  if (overrides.mutations?.includes(action.scope)) return true;
  return action.method !== 'GET' || action.blocking || action.output.parameters.length === 0;
}

/** Returns a resource and its ancestors, the outermost first. */
function ancestorsOf(resource: ResourceModel | null): readonly ResourceModel[] {
  return resource === null ? [] : [...ancestorsOf(resource.parent), resource];
}

/** Returns the type name from the overrides. `hasOwn` is needed because a resource may have a name such as `constructor`. */
function overriddenTypeName(path: readonly string[], { typeNames = {} }: Overrides): string | undefined {
  const key = pathKey(path);
  return Object.hasOwn(typeNames, key) ? typeNames[key] : undefined;
}

/** Names all types. If two paths map to the same name, the later one gets another name and a finding. */
function nameTypes(
  paths: ReadonlyMap<string, readonly string[]>,
  overrides: Overrides,
  reserved: ReservedNames,
  report: Report,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  const freeNames = new FreeNames();
  for (const [key, path] of paths) {
    const given = overriddenTypeName(path, overrides);
    let name = given === undefined ? typeNameOf(path, reserved) : avoidReserved(given, reserved.types);
    if (given !== undefined && name !== given) {
      const reason = `the overrides set the type name ${given}, which is reserved; the type is named ${name}`;
      report.add('TYPE_NAME_CLASH', key, reason);
    }
    const owner = owners.get(name);
    if (owner !== undefined) {
      const ownName = name;
      name = freeNames.find(avoidReserved(clashingTypeName(path), reserved.types), owners);
      const reason = `its type name ${ownName} is already the name of ${owner}; the type is named ${name}; choose another name in the overrides: "typeNames": { "${key}": "…" }`;
      report.add('TYPE_NAME_CLASH', key, reason);
    }
    names.set(key, name);
    owners.set(name, key);
  }
  return names;
}

/** Returns the output parameters of `show` and `index`. If their types differ, `show` takes precedence. */
function outputParameters(reads: readonly Action[], report: Report): ReadonlyMap<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  for (const action of [findAction(reads, 'show'), findAction(reads, 'index')]) {
    for (const parameter of action?.output.parameters ?? []) {
      const known = parameters.get(parameter.name);
      if (known === undefined) parameters.set(parameter.name, parameter);
      else if (!isSameType(known, parameter)) {
        report.add(
          'TYPES_DIFFER',
          `${action?.scope} output.${parameter.name}`,
          `its type is ${parameter.type} here and ${known.type} in show; the type in show is used`,
        );
      }
    }
  }
  return parameters;
}

/**
 * Derives which placeholders identify the objects of a resource. Placeholders of parents belong to the parents; the other
 * placeholders of `show` belong to the resource. Without `show`, the `id` in rows or in associations identifies an object.
 */
function deriveIdentity(
  path: readonly string[],
  parent: ResourceModel | null,
  reads: readonly Action[],
  hasId: boolean,
): Omit<Identity, 'valueTypes' | 'list'> {
  const show = findAction(reads, 'show');
  const mainRead = show ?? findAction(reads, 'index');
  const parents = mainRead === null ? (parent?.identity.segments ?? []) : parentSegments(path, mainRead);
  const known = new Set(parents.flat());
  const idName = `${path.at(-1)}_id`;
  const ownPlaceholders = show?.path.placeholders.filter((name) => !known.has(name));
  const segments = [...parents, ownPlaceholders ?? (hasId ? [idName] : [])];
  const last = segments.at(-1)?.at(-1) ?? null;
  return {
    path,
    segments,
    placeholders: segments.flat(),
    idPlaceholder: last === idName || last === 'id' ? last : null,
    show,
  };
}

/** Returns the placeholders of each ancestor, which have the name `<resource>_id`. */
function parentSegments(path: readonly string[], action: Action): readonly (readonly string[])[] {
  return path
    .slice(0, -1)
    .map((name) => action.path.placeholders.filter((placeholder) => placeholder === `${name}_id`));
}

/** Returns `label` if the resource has this parameter, otherwise the value label of most associations that refer to it. */
function labelParameterOf(
  parameters: ReadonlyMap<string, Parameter>,
  references: readonly ResourceParameter[],
): string | null {
  if (parameters.has('label')) return 'label';
  const votes = new Map<string, number>();
  for (const { valueLabel } of references) votes.set(valueLabel, (votes.get(valueLabel) ?? 0) + 1);
  const candidates = [...votes].sort(
    ([a, x], [b, y]) => Number(parameters.has(b)) - Number(parameters.has(a)) || y - x || (a < b ? -1 : 1),
  );
  return candidates[0]?.[0] ?? null;
}

/** Whether a resource is the protocol's resource of action states. */
export function isActionState(path: readonly string[]): boolean {
  return pathKey(path) === ACTION_STATE;
}

/** Whether the described actions can watch a running action by its id. */
export function canWatchActions(model: Model): boolean {
  const actions = model.get(ACTION_STATE)?.actions ?? [];
  return findAction(actions, 'show') !== null || findAction(actions, 'poll') !== null;
}
