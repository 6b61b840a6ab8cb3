// Derives the model of a schema from a description: its resources, their names and identities.
import type { Identity } from '../../loaders/identity.ts';
import { ACTION_STATE, POLL_SCOPE } from '../../upstream/actions/action-state-api.ts';
import type {
  Action,
  Description,
  Parameter,
  Resource,
  ResourceParameter,
} from '../../upstream/description/description.ts';
import { allResources } from '../../upstream/description/select-actions.ts';
import type { Assembly } from '../assemble.ts';
import { escapeName, fieldNameOf, lowerFirst } from '../names/naming.ts';
import { nameResources } from '../names/type-names.ts';
import { deriveIdentity, identifiesRows } from './keys.ts';
import type { Overrides } from './overrides.ts';
import { collectReferences, deriveLabel, isSameType, type Label } from './parameters.ts';
import type { Report } from './report.ts';

/** One resource of the schema: described, or only referred to. */
export interface ResourceModel {
  readonly path: readonly string[];
  readonly typeName: string;
  /** The beginning of the names of types that are made of its actions and parameters, e.g. `ShelfBook`. */
  readonly baseName: string;
  /** The same for fields of the root, e.g. `shelfBook`. */
  readonly fieldPrefix: string;
  readonly description: string | null;
  readonly actions: readonly Action[];
  readonly reads: readonly Action[];
  readonly writes: readonly Action[];
  readonly parent: ResourceModel | null;
  readonly identity: Identity;
  /** Whether its objects have IDs, and so the type has a field `id`. */
  readonly identifiable: boolean;
  /** Whether the IDs of all its objects are known, also those of rows. */
  readonly identifiesRows: boolean;
  /** The output parameters of `show` and `index`, if they are reads. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly label: Label;
  /** Whether associations refer to the resource. */
  readonly isReferenced: boolean;
  /** The names of its Integer parameters that are `BigInt` in all inputs and outputs. */
  readonly bigInts: ReadonlySet<string>;
  /** Whether it is for debugging or internal use, as its name, its description or its parent says. It comes last in documentation. */
  readonly isInternal: boolean;
}

const INTERNAL_NAME = /^(debug|internals?)$|^debug_/i;
const INTERNAL_TEXT = /\b(debug|debugging|internals|internal (use|purposes?))\b/i;

/** All resources of a description by dotted path. */
export type Model = ReadonlyMap<string, ResourceModel>;

/** Returns the key of a resource in the model: its dotted path. */
export const pathKey = (path: readonly string[]): string => path.join('.');

/** Returns the resource to which an association refers, or null for a value. */
export function targetOf(model: Model, parameter: Parameter): ResourceModel | null {
  return parameter.type === 'Resource' ? (model.get(pathKey(parameter.resource)) ?? null) : null;
}

/** Returns the action with a name, or null. */
export function findAction(actions: readonly Action[], name: string): Action | null {
  return actions.find((action) => action.name === name) ?? null;
}

/**
 * Creates the model with every resource that the description describes or refers to. The order of resources and actions does
 * not depend on the description: parents come first, then names decide.
 */
export function createModel(
  description: Description,
  parts: Pick<Assembly, 'overrides' | 'reserved' | 'report' | 'typeNames'>,
): Model {
  const described = new Map(allResources(description.resources).map((one) => [pathKey(one.path), one]));
  // The description has the resources for signing in under `authentication`, apart from the others.
  for (const resource of allResources(description.authentication.token?.resources ?? [])) {
    const key = pathKey(resource.path);
    if (described.has(key))
      parts.report.add(
        'RESOURCE_NAME_CLASH',
        `authentication ${key}`,
        'another resource has the same name; left out',
      );
    else described.set(key, resource);
  }
  const resources = [...described.values()];
  const references = collectReferences(resources);
  const paths = new Map<string, readonly string[]>();
  const referred = [...references.values()].flatMap(([reference]) => (reference ? [reference.resource] : []));
  for (const path of [...resources.map((resource) => resource.path), ...referred]) {
    for (let depth = 1; depth <= path.length; depth++)
      paths.set(pathKey(path.slice(0, depth)), path.slice(0, depth));
  }
  const ordered = [...paths].sort(([a, { length: x }], [b, { length: y }]) => x - y || compareNames(a, b));
  const named = nameResources(
    ordered.map(([, path]) => path),
    parts,
  );
  const model = new Map<string, ResourceModel>();
  for (const { path, typeName, baseName } of named) {
    const key = pathKey(path);
    const own = { path, typeName, baseName, parent: model.get(pathKey(path.slice(0, -1))) ?? null };
    const resource = createResourceModel(own, described.get(key), references.get(key) ?? [], parts);
    model.set(key, resource);
  }
  return model;
}

const compareNames = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** @param described Undefined if the description only refers to the resource. */
function createResourceModel(
  { path, typeName, baseName, parent }: Pick<ResourceModel, 'path' | 'typeName' | 'baseName' | 'parent'>,
  described: Resource | undefined,
  references: readonly ResourceParameter[],
  { overrides, report }: Pick<Assembly, 'overrides' | 'report'>,
): ResourceModel {
  const actions = [...(described?.actions ?? [])].sort((a, b) => compareNames(a.name, b.name));
  const reads = actions.filter((action) => !isWrite(action, overrides));
  const index = findAction(reads, 'index');
  const parameters = outputParameters(reads, report);
  const ancestors = ancestorsOf(parent).map(({ identity }) => identity);
  const sources = { path, ancestors, actions, reads, parameters, references };
  const identity = deriveIdentity(sources, overrides, report);
  const description = described?.description ?? null;
  return {
    path,
    typeName,
    baseName,
    fieldPrefix: escapeName(lowerFirst(baseName)),
    description,
    actions,
    reads,
    writes: actions.filter((action) => isWrite(action, overrides)),
    parent,
    identity,
    identifiable: identity.show !== null || identity.idPlaceholder !== null,
    identifiesRows: identifiesRows(typeName, index, identity, report),
    parameters,
    label: deriveLabel(parameters, index, references),
    isReferenced: references.length > 0,
    bigInts: findBigIntegers(typeName, actions, overrides),
    isInternal:
      parent?.isInternal === true ||
      INTERNAL_NAME.test(path.at(-1) ?? '') ||
      INTERNAL_TEXT.test(description ?? ''),
  };
}

/** The name of a parameter in the override `bigInts`: the type of its resource, and the field, e.g. `Shelf.size`. */
export const bigIntegerOf = (typeName: string, { name }: Parameter): string =>
  `${typeName}.${fieldNameOf(name)}`;

/** Finds the integers that may exceed 2^53−1: those that the overrides name, and those that have such bounds anywhere. */
function findBigIntegers(
  typeName: string,
  actions: readonly Action[],
  { bigInts = [] }: Overrides,
): ReadonlySet<string> {
  const all = actions.flatMap(({ input, output }) => [...input.parameters, ...output.parameters]);
  const isBig = (parameter: Parameter): boolean => {
    if (parameter.type !== 'Integer') return false;
    const { min, max } = parameter.validators.number ?? {};
    const hasBigBound = [min, max].some((bound) => Math.abs(bound ?? 0) > Number.MAX_SAFE_INTEGER);
    return hasBigBound || bigInts.includes(bigIntegerOf(typeName, parameter));
  };
  return new Set(all.filter(isBig).map(({ name }) => name));
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

/** Whether the objects of a resource can be fetched by their global IDs, and so its type implements `Node`. */
export function isNode({ identity, identifiesRows }: ResourceModel): boolean {
  return identity.show !== null && identifiesRows;
}

/** Whether an output parameter is the ID and no more: it has no field of its own, and values of all types identify an object. */
export function isOnlyId(
  { identity: { idParameter, idPlaceholder } }: ResourceModel,
  { name }: Parameter,
): boolean {
  return name === 'id' && name === idParameter && idPlaceholder !== null;
}

/** Whether a resource is the protocol's resource of action states. */
export function isActionState(path: readonly string[]): boolean {
  return pathKey(path) === ACTION_STATE;
}

/** The scopes of actions by each of which a running action can be watched by its id. */
export const WATCHING: readonly string[] = [`${ACTION_STATE}#show`, POLL_SCOPE];

/** Whether the described actions can watch a running action by its id. */
export function canWatchActions(model: Model): boolean {
  return model.get(ACTION_STATE)?.actions.some(({ scope }) => WATCHING.includes(scope)) === true;
}
