// Adds a field for each read: one object, a list or another result.
import { Entity } from '../../loaders/entity.ts';
import { NO_PATH_IDS, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import { POLL_SCOPE } from '../../upstream/actions/action-state-api.ts';
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { Assembly } from '../assemble.ts';
import type { Resolve } from '../builder.ts';
import { paragraphs } from '../descriptions/descriptions.ts';
import { filterParameters, isConnection, returnsList } from '../model/list-paging.ts';
import { findHost, type Placement, placeAction } from '../model/placement.ts';
import { withResource } from '../names/naming.ts';
import { nameRead } from '../names/read-names.ts';
import { argumentsOf, fieldsOf, UniqueNames } from '../names/unique-names.ts';
import { createPageResolver, type ReadListArguments } from '../resolve/page-reader.ts';
import { nullIfMissing, readByCall, readById } from '../resolve/single-read.ts';
import { declarePath, type PathArguments } from '../types/ids.ts';
import { Inputs, withInputPaths } from '../types/inputs.ts';
import { fieldOptions, nullOnlyWithError } from '../types/outputs.ts';
import { pageArguments } from './connections.ts';

/**
 * Adds the fields of all reads to the types whose objects contain the IDs that their paths need. `show` and `index` come first,
 * so that they take precedence in name clashes.
 */
export function addReads(assembly: Assembly): void {
  const { model, reserved } = assembly;
  const query = new UniqueNames(assembly, fieldsOf('Query'), reserved.queries);
  const rank = (name: string): number => ['show', 'index'].indexOf(name) >>> 0;
  const placements = [...model.values()]
    .flatMap((resource) => resource.reads.map((action) => placeAction(resource, action)))
    // Subscriptions use the long poll.
    .filter(({ action }) => action.scope !== POLL_SCOPE)
    .sort((a, b) => rank(a.action.name) - rank(b.action.name));
  for (const placement of placements) addRead(assembly, placement, query);
}

function addRead(assembly: Assembly, placement: Placement, query: UniqueNames): void {
  const { builder, report, reserved, types } = assembly;
  const { action } = placement;
  const host = findHost(placement);
  const type = host?.resource ? types.typeFor(host.resource) : null;
  if (host === null || (host.resource !== null && type === null)) {
    report.add('READ_NOT_PLACED', action.scope, 'no type has the IDs that its path needs; left out');
    return;
  }
  const ownName = nameRead(placement, host.kind, reserved);
  if (action.name === 'show' && type?.fields.has(ownName)) {
    const reason = `${type.ref.name}.${ownName} is already another field; use node(id:) to fetch the object`;
    report.add('NESTED_SHOW_LEFT_OUT', action.scope, reason);
    return;
  }
  const name = (type?.fields ?? query).claim(ownName, action.scope, withResource);
  assembly.actionFields.set(action.scope, { type: type?.ref.name ?? 'Query', name });
  const field = `${type?.ref.name ?? 'Query'}.${name}`;
  const options = isConnection(action)
    ? listOptions(assembly, placement, field)
    : singleOptions(assembly, placement, field);
  if (type === null) builder.queryField(name, (t) => t.field(options));
  else builder.objectField(type.ref, name, (t) => t.field(options));
}

/** Returns the options of a connection field. An `index` takes its filters as one argument, other reads as separate arguments. */
function listOptions(assembly: Assembly, placement: Placement, field: string) {
  const { resource, action } = placement;
  const isIndex = action.name === 'index';
  const fixedNames = ['first', 'after', ...(isIndex ? ['filter'] : [])];
  const names = new UniqueNames(assembly, argumentsOf(field), fixedNames);
  const path = declareReadPath(assembly, placement, names);
  const filter = isIndex
    ? assembly.filterFor(resource, action)
    : { ref: null, inputs: new Inputs(assembly, resource, action, filterParameters(action), names) };
  const { inputs } = filter;
  const args = {
    ...path.args,
    ...pageArguments(assembly.builder, filter, 'Filters for the list.'),
    ...(isIndex ? {} : inputs.declareArguments()),
  };
  const readArguments: ReadListArguments = (parent, given) => {
    const pathIds = path.read(given, idsOf(parent));
    const values = isIndex ? given['filter'] : given;
    return { filter: inputs.read(isObject(values) ? values : {}), pathIds };
  };
  const resolve = createPageResolver(assembly, resource, action, inputs.paths, readArguments);
  return nullOnlyWithError(fieldOptions(assembly.connectionFor(resource, action), args, action, resolve));
}

const NO_INPUT: JsonObject = Object.freeze({});

/** Returns the options of a field for one object, or for a list without paging. */
function singleOptions(assembly: Assembly, placement: Placement, field: string) {
  const { types } = assembly;
  const { resource, action } = placement;
  const names = new UniqueNames(assembly, argumentsOf(field));
  const path = declareReadPath(assembly, placement, names);
  const inputs = new Inputs(assembly, resource, action, action.input.parameters, names);
  const args = { ...path.args, ...inputs.declareArguments() };
  const isLoaded = action.name === 'show' && inputs.fields.length === 0;
  const readSingle = isLoaded ? readById(resource) : readByCall(assembly, resource, action);
  const mayBeAbsent = isNestedSingleton(placement);
  const read = mayBeAbsent ? nullIfMissing(readSingle) : readSingle;
  const resolve: Resolve = (parent, given, { operation }, info) => {
    const values = path.read(given, idsOf(parent));
    if (inputs.fields.length === 0) return read(values, NO_INPUT, operation, info);
    const input = inputs.read(given);
    return withInputPaths(read(values, input, operation, info), inputs.paths, input);
  };
  const ref = types.outputTypeFor(resource, action);
  const options = fieldOptions(returnsList(action) ? [ref] : ref, args, action, resolve);
  // Without `show`, an object that does not exist may be an empty answer.
  if (!mayBeAbsent) return action.name === 'show' ? nullOnlyWithError(options) : options;
  const description = paragraphs(['Null if there is none.', options.description]);
  return { ...options, description };
}

/** The object's own ID is the argument `id`; the IDs of its parents come from the object on which the field stands. */
function declareReadPath(assembly: Assembly, placement: Placement, names: UniqueNames): PathArguments {
  const { resource, action } = placement;
  const hasId = action.name === 'show' && resource.identity.idPlaceholder !== null;
  const owner = hasId ? { resource, name: 'id' } : null;
  return declarePath(assembly, resource, owner, placement.arguments, names);
}

const idsOf = (parent: unknown): PathIds =>
  parent instanceof Entity ? pathIdsOf(parent.identity, parent.requireIds()) : NO_PATH_IDS;

/** Whether a parent has at most one object of a resource, which needs no ID or other argument. */
function isNestedSingleton({ action, resource, on, arguments: names }: Placement): boolean {
  const isSingleton = resource.identity.idPlaceholder === null && names.length === 0;
  return action.name === 'show' && on === 'parent' && isSingleton;
}
