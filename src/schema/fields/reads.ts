// Adds a field for each read: one object, a list or another result.

import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { checkIds, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import { isMissing, UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { filterParameters, isConnection, returnsList, toList } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Placement } from '../model/placement.ts';
import { FieldNames } from '../names/field-names.ts';
import { fieldNameOf } from '../names/naming.ts';
import { nameRead } from '../names/read-names.ts';
import { createRowReader } from '../resolve/row-reader.ts';
import { coordinateOf } from '../resolve/selection.ts';
import { describeAction, paragraphs } from '../types/descriptions.ts';
import type { Filters } from '../types/filters.ts';
import type { EntityRef } from '../types/object-fields.ts';
import { type Connections, DEFAULT_FIRST, MAX_FIRST } from './connections.ts';

/** The type to which a field is added: `Query`, or a type whose objects contain the IDs that the path needs. */
export interface Host {
  readonly kind: 'root' | 'parent' | 'object';
  /** Null for `Query`. */
  readonly ref: EntityRef | null;
  readonly fields: FieldNames;
}

/** The arguments for placeholders of a path. */
interface PathArguments {
  /** Whether there is an argument `id` for the object's own ID. */
  readonly id: boolean;
  /** The other placeholders and the names of their arguments. */
  readonly others: readonly { readonly name: string; readonly placeholder: string }[];
}

/** A resolver. Its parent and argument types are known only from the description. */
export type Resolve = (
  parent: unknown,
  args: JsonObject,
  context: SchemaContext,
  info: GraphQLResolveInfo,
) => unknown;

/** Reads one object, or a list without paging. */
type SingleRead = (
  values: PathIds,
  input: JsonObject,
  operation: Operation,
  info: GraphQLResolveInfo,
) => Promise<Entity | readonly Entity[] | null>;

/** Description of the argument `first`. */
export const FIRST_DESCRIPTION = `The number of rows in the page, from 0 to ${MAX_FIRST}.`;
/** Description of the argument `after`. */
export const AFTER_DESCRIPTION = 'Returns the rows that come after the specified cursor.';

/** Adds fields for reads: `show`, `index` and other actions that change nothing. */
export class Reads {
  readonly #assembly: Assembly;
  readonly #connections: Connections;
  readonly #filters: Filters;

  constructor(assembly: Assembly, connections: Connections, filters: Filters) {
    this.#assembly = assembly;
    this.#connections = connections;
    this.#filters = filters;
  }

  /** Adds the field of one read to its host. */
  add(placement: Placement, host: Host): void {
    const { builder, report, reserved } = this.#assembly;
    const { action } = placement;
    const ownName = nameRead(placement, host.kind, reserved);
    if (action.name === 'show' && host.ref !== null && host.fields.has(ownName)) {
      const reason = `${host.ref.name}.${ownName} is already another field; use node(id:) to fetch the object`;
      report.add('NESTED_SHOW_LEFT_OUT', action.scope, reason);
      return;
    }
    const name = host.fields.claim(ownName, action.scope);
    const options = isConnection(action)
      ? this.#connectionOptions(placement)
      : this.#singleOptions(placement);
    if (host.ref === null) builder.queryField(name, (t) => t.field(options));
    else builder.objectField(host.ref, name, (t) => t.field(options));
  }

  /** Returns the options of a connection field. An `index` takes its filters as one argument, other reads as separate arguments. */
  #connectionOptions(placement: Placement) {
    const { builder, inputs } = this.#assembly;
    const { resource, action } = placement;
    const list = toList(action);
    const connection = this.#connections.connectionFor(resource, list);
    const argumentNames = new FieldNames(action.scope, this.#assembly.report);
    const isIndex = action.name === 'index';
    for (const name of ['first', 'after', ...(isIndex ? ['filter'] : [])])
      argumentNames.claim(name, action.scope);
    const path = this.#pathArguments(placement, argumentNames);
    const filter = isIndex ? this.#filters.filterFor(resource, action) : null;
    const otherInputs = isIndex ? [] : inputs.fields(filterParameters(action), action.scope, argumentNames);
    const check = inputs.check(otherInputs, action, []);
    const args = builder.args((t) => ({
      ...this.#pathArgs(resource, path),
      first: t.int({ description: FIRST_DESCRIPTION, defaultValue: DEFAULT_FIRST }),
      after: t.string({ description: AFTER_DESCRIPTION }),
      ...(filter === null
        ? {}
        : {
            filter: t.field({
              type: filter.ref,
              description: 'Filters for the list.',
              required: filter.required,
            }),
          }),
      ...Object.fromEntries(
        otherInputs.map((field) => [field.name, t.field(inputs.options(resource, field))]),
      ),
    }));
    const resolve: Resolve = (parent, given, { operation }, info) => {
      const values = this.#values(placement, path, parent, given);
      const input =
        filter === null
          ? check(inputs.toUpstream(otherInputs, given), operation.matcher)
          : filter.read(operation.matcher, given['filter']);
      return connection.resolve(
        { ...pageArguments(given), filter: input, path: fillPlaceholders(action, values), pathIds: values },
        operation,
        info,
      );
    };
    return fieldOptions(connection.ref, args, action, resolve);
  }

  /** Returns the options of a field for one object, or for a list without paging. */
  #singleOptions(placement: Placement) {
    const { builder, inputs, types } = this.#assembly;
    const { resource, action } = placement;
    const argumentNames = new FieldNames(action.scope, this.#assembly.report);
    const path = this.#pathArguments(placement, argumentNames);
    const fields = inputs.fields(action.input.parameters, action.scope, argumentNames);
    const ref = types.outputTypeFor(resource, action);
    const check = inputs.check(fields, action, []);
    const args = builder.args((t) => ({
      ...this.#pathArgs(resource, path),
      ...Object.fromEntries(fields.map((field) => [field.name, t.field(inputs.options(resource, field))])),
    }));
    const readSingle =
      action.name === 'show' && fields.length === 0
        ? this.#readById(resource)
        : this.#readByCall(resource, action);
    const mayBeAbsent = isNestedSingleton(placement);
    const read = mayBeAbsent ? nullIfAbsent(readSingle) : readSingle;
    const resolve: Resolve = (parent, given, { operation }, info) =>
      read(
        this.#values(placement, path, parent, given),
        check(inputs.toUpstream(fields, given), operation.matcher),
        operation,
        info,
      );
    const options = fieldOptions(returnsList(action) ? [ref] : ref, args, action, resolve);
    if (!mayBeAbsent) return options;
    return { ...options, description: paragraphs(['Null if there is none.', options.description]) };
  }

  /** Loads the object with the operation's loader, which fetches each object once. */
  #readById(resource: ResourceModel): SingleRead {
    const { sources } = this.#assembly;
    const { identity } = resource;
    return async (values, _input, operation, info) => {
      const ids = checkIds(identity.placeholders.map((placeholder) => values.get(placeholder) ?? ''));
      const projection = sources.projectionFor(resource, info, operation);
      const shown = await operation.loader(identity)?.load(ids, projection);
      if (shown === undefined) return null;
      return new Entity(identity, 'show', shown.values, {
        meta: shown.meta,
        pathIds: pathIdsOf(identity, ids),
      });
    };
  }

  /** Calls the action for each field and reads its output as objects. */
  #readByCall(resource: ResourceModel, action: Action): SingleRead {
    const rows = createRowReader(this.#assembly, resource, action);
    return async (values, input, operation, info) => {
      const projection = rows.projectionFor(info, operation);
      const includes = rows.includes(projection).join(',');
      const { output, meta } = await operation.readFor(coordinateOf(info))({
        action,
        path: fillPlaceholders(action, values),
        input,
        meta: includes === '' ? {} : { includes },
      });
      const entities = isObject(output)
        ? [rows.read(output, values, meta)]
        : (output ?? []).map((row) => rows.read(row, values));
      await rows.complete(entities, projection, operation);
      return isObject(output) ? (entities[0] ?? null) : entities;
    };
  }

  #pathArguments({ resource, action, arguments: placeholders }: Placement, names: FieldNames): PathArguments {
    const id = action.name === 'show' && resource.identity.idPlaceholder !== null;
    if (id) names.claim('id', action.scope);
    const others = placeholders.map((placeholder) => ({
      placeholder,
      name: names.claim(fieldNameOf(placeholder), action.scope),
    }));
    return { id, others };
  }

  #pathArgs({ typeName }: ResourceModel, { id, others }: PathArguments) {
    return this.#assembly.builder.args((t) => ({
      ...(id ? { id: t.id({ required: true, description: describeIdArgument(typeName) }) } : {}),
      ...Object.fromEntries(
        others.map(({ name, placeholder }) => [
          name,
          t.string({ required: true, description: describePathArgument(placeholder) }),
        ]),
      ),
    }));
  }

  /** Returns the values of placeholders from the parent object and the arguments. */
  #values({ resource }: Placement, path: PathArguments, parent: unknown, given: JsonObject): PathIds {
    const parentIds =
      parent instanceof Entity ? pathIdsOf(parent.identity, parent.requireIds()) : new Map<string, string>();
    const values = new Map(parentIds);
    if (path.id) {
      const ids = this.#assembly.ids.read(resource, String(given['id']), parentIds);
      for (const [placeholder, id] of pathIdsOf(resource.identity, ids)) values.set(placeholder, id);
    }
    for (const { name, placeholder } of path.others)
      values.set(placeholder, this.#assembly.ids.readPart(resource, placeholder, String(given[name])));
    return values;
  }
}

/** Whether a parent has at most one object of a resource, which needs no ID or other argument. */
function isNestedSingleton({ action, resource, on, arguments: names }: Placement): boolean {
  return (
    action.name === 'show' &&
    on === 'parent' &&
    resource.identity.idPlaceholder === null &&
    names.length === 0
  );
}

/** Wraps a read so that a missing object is null instead of an error. */
const nullIfAbsent =
  (read: SingleRead): SingleRead =>
  (...call) =>
    read(...call).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });

/** Describes an argument for the ID of an object. */
export const describeIdArgument = (typeName: string): string =>
  `The ID of the ${typeName}: its global ID, or its ID in the management API.`;

/** Describes an argument for a placeholder that is not an ID. */
export const describePathArgument = (placeholder: string): string => `The path parameter \`${placeholder}\`.`;

/** Returns the Pothos options of a field. The casts are needed because its type is known only at run time, from the description. */
export function fieldOptions<Args>(type: unknown, args: Args, action: Action, resolve: Resolve) {
  return {
    type: type as EntityRef,
    nullable: (Array.isArray(type) ? { list: true, items: true } : true) as true,
    args,
    description: describeAction(action),
    resolve: resolve as never,
  };
}

/** Reads the arguments `first` and `after`. */
export function pageArguments(given: JsonObject) {
  const { first, after } = given;
  return {
    first: typeof first === 'number' ? first : null,
    after: typeof after === 'string' ? after : null,
  };
}

/**
 * Returns the values of a path's placeholders in path order.
 * @throws UpstreamProtocolError when a value is unknown.
 */
export function fillPlaceholders(action: Action, values: PathIds): readonly string[] {
  const path = action.path.placeholders.map((placeholder) => values.get(placeholder));
  if (path.every((value) => value !== undefined)) return checkIds(path);
  throw new UpstreamProtocolError('The object does not contain all IDs that the path needs.', {
    action: action.scope,
  });
}
