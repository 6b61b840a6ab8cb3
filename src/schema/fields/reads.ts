import type { GraphQLResolveInfo } from 'graphql';
import { Entity } from '../../loaders/entity.ts';
import { checkIds, type PathIds, pathIdsOf } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type { Action } from '../../upstream/description/description.ts';
import { isMissing, UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import type { SchemaContext } from '../builder.ts';
import { answersList, filterParameters, isConnection, listOf } from '../model/list-paging.ts';
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
import type { Connections } from './connections.ts';

/** Where a field is added: `Query`, or a type whose objects know the ids that the path needs. */
export interface Host {
  readonly kind: 'root' | 'parent' | 'object';
  /** Null for `Query`. */
  readonly ref: EntityRef | null;
  readonly fields: FieldNames;
}

/** The arguments that stand for placeholders of a path. */
interface PathArguments {
  /** Whether the object's own id is asked for. */
  readonly id: boolean;
  /** Placeholders that are no ids, with their arguments' names. */
  readonly others: readonly { readonly name: string; readonly placeholder: string }[];
}

/** A resolver; hosts and arguments are known from the description. */
export type Resolve = (
  host: unknown,
  args: JsonObject,
  context: SchemaContext,
  info: GraphQLResolveInfo,
) => unknown;

/** Reads one object, or a list that does not page. */
type SingleRead = (
  values: PathIds,
  input: JsonObject,
  operation: Operation,
  info: GraphQLResolveInfo,
) => Promise<Entity | readonly Entity[] | null>;

/** Adds fields for reads: shows, lists, and whatever else answers without changing anything. */
export class Reads {
  readonly #assembly: Assembly;
  readonly #connections: Connections;
  readonly #filters: Filters;

  constructor(assembly: Assembly, connections: Connections, filters: Filters) {
    this.#assembly = assembly;
    this.#connections = connections;
    this.#filters = filters;
  }

  add(placement: Placement, host: Host): void {
    const { builder, report, reserved } = this.#assembly;
    const { action } = placement;
    const plain = nameRead(placement, host.kind, reserved);
    if (action.name === 'show' && host.ref !== null && host.fields.has(plain)) {
      const reason = `${host.ref.name}.${plain} is something else already; reach it by node(id:)`;
      report.add('NESTED_SHOW_LEFT_OUT', action.scope, reason);
      return;
    }
    const name = host.fields.claim(plain, action.scope);
    const options = isConnection(action) ? this.#list(placement) : this.#single(placement);
    if (host.ref === null) builder.queryField(name, (t) => t.field(options));
    else builder.objectField(host.ref, name, (t) => t.field(options));
  }

  /** A list as a connection. An index takes its filters as one object, another read as arguments. */
  #list(placement: Placement) {
    const { builder, inputs } = this.#assembly;
    const { resource, action } = placement;
    const list = listOf(action);
    const connection = this.#connections.connectionFor(resource, list);
    const taken = new FieldNames(action.scope, this.#assembly.report);
    const isIndex = action.name === 'index';
    for (const name of ['first', 'after', ...(isIndex ? ['filter'] : [])]) taken.claim(name, action.scope);
    const path = this.#pathArguments(placement, taken);
    const filter = isIndex ? this.#filters.filterFor(resource, action) : null;
    const plain = isIndex ? [] : inputs.fields(filterParameters(action), action.scope, taken);
    const check = inputs.check(plain, action, []);
    const args = builder.args((t) => ({
      ...this.#pathArgs(path),
      first: t.int({ description: 'Rows in the page: from 0 to 1000.', defaultValue: 25 }),
      after: t.string({ description: 'Cursor of the row that the page follows.' }),
      ...(filter === null ? {} : { filter: t.field({ type: filter.ref, required: filter.required }) }),
      ...Object.fromEntries(plain.map((field) => [field.name, t.field(inputs.options(resource, field))])),
    }));
    const resolve: Resolve = (host, given, { operation }, info) => {
      const values = this.#values(placement, path, host, given);
      const input = filter === null ? check(inputs.toUpstream(plain, given)) : filter.read(given['filter']);
      return connection.resolve(
        { ...pageArguments(given), filter: input, path: fillPlaceholders(action, values), pathIds: values },
        operation,
        info,
      );
    };
    return fieldOptions(connection.ref, args, action, resolve);
  }

  /** One object, or a list that does not page. */
  #single(placement: Placement) {
    const { builder, inputs, types } = this.#assembly;
    const { resource, action } = placement;
    const taken = new FieldNames(action.scope, this.#assembly.report);
    const path = this.#pathArguments(placement, taken);
    const fields = inputs.fields(action.input.parameters, action.scope, taken);
    const ref = types.outputTypeFor(resource, action);
    const check = inputs.check(fields, action, []);
    const args = builder.args((t) => ({
      ...this.#pathArgs(path),
      ...Object.fromEntries(fields.map((field) => [field.name, t.field(inputs.options(resource, field))])),
    }));
    const plain =
      action.name === 'show' && fields.length === 0 ? this.#show(resource) : this.#call(resource, action);
    const mayBeAbsent = isNestedSingleton(placement);
    const read = mayBeAbsent ? nullIfAbsent(plain) : plain;
    const resolve: Resolve = (host, given, { operation }, info) =>
      read(
        this.#values(placement, path, host, given),
        check(inputs.toUpstream(fields, given)),
        operation,
        info,
      );
    const options = fieldOptions(answersList(action) ? [ref] : ref, args, action, resolve);
    if (!mayBeAbsent) return options;
    return { ...options, description: paragraphs(['Null where there is none.', options.description]) };
  }

  /** Objects by their ids go through the operation's loader, so that each is fetched once. */
  #show(resource: ResourceModel): SingleRead {
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

  #call(resource: ResourceModel, action: Action): SingleRead {
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

  #pathArguments({ resource, action, arguments: placeholders }: Placement, taken: FieldNames): PathArguments {
    const id = action.name === 'show' && resource.identity.idPlaceholder !== null;
    if (id) taken.claim('id', action.scope);
    const others = placeholders.map((placeholder) => ({
      placeholder,
      name: taken.claim(fieldNameOf(placeholder), action.scope),
    }));
    return { id, others };
  }

  #pathArgs({ id, others }: PathArguments) {
    return this.#assembly.builder.args((t) => ({
      ...(id ? { id: t.id({ required: true, description: 'Global, or the API’s own.' }) } : {}),
      ...Object.fromEntries(
        others.map(({ name }) => [name, t.string({ required: true, description: 'A part of the path.' })]),
      ),
    }));
  }

  /** The ids that the host and the arguments give, by placeholder. */
  #values({ resource }: Placement, path: PathArguments, host: unknown, given: JsonObject): PathIds {
    const parents =
      host instanceof Entity ? pathIdsOf(host.identity, host.requireIds()) : new Map<string, string>();
    const values = new Map(parents);
    if (path.id) {
      const ids = this.#assembly.ids.read(resource, String(given['id']), parents);
      for (const [placeholder, id] of pathIdsOf(resource.identity, ids)) values.set(placeholder, id);
    }
    for (const { name, placeholder } of path.others)
      values.set(placeholder, this.#assembly.ids.readPart(resource, placeholder, String(given[name])));
    return values;
  }
}

/** Whether a parent has one object of a resource or none: nobody asks for it by an id or another name. */
function isNestedSingleton({ action, resource, on, arguments: names }: Placement): boolean {
  return (
    action.name === 'show' &&
    on === 'parent' &&
    resource.identity.idPlaceholder === null &&
    names.length === 0
  );
}

/** A read that answers null where the object does not exist, and not an error for each parent without one. */
const nullIfAbsent =
  (read: SingleRead): SingleRead =>
  (...call) =>
    read(...call).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });

/** What a field resolves to is known from the description, at run time only; to the compiler it is one of all types. */
export function fieldOptions<Args>(type: unknown, args: Args, action: Action, resolve: Resolve) {
  return {
    type: type as EntityRef,
    nullable: (Array.isArray(type) ? { list: true, items: true } : true) as true,
    args,
    description: describeAction(action),
    resolve: resolve as never,
  };
}

/** Page size and cursor, as given. */
export function pageArguments(given: JsonObject) {
  const { first, after } = given;
  return {
    first: typeof first === 'number' ? first : null,
    after: typeof after === 'string' ? after : null,
  };
}

/** Values of a path's placeholders, in path order. */
export function fillPlaceholders(action: Action, values: PathIds): readonly string[] {
  const path = action.path.placeholders.map((placeholder) => values.get(placeholder));
  if (path.every((value) => value !== undefined)) return checkIds(path);
  throw new UpstreamProtocolError('The object does not tell all ids that the path needs.', {
    action: action.scope,
  });
}
