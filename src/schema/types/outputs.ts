// Chooses the GraphQL types of outputs, resolves their values, and builds the options of fields.
import type { GraphQLResolveInfo } from 'graphql';
import { readAssociation } from '../../loaders/entity.ts';
import type { PathIds } from '../../loaders/identity.ts';
import type { Operation } from '../../loaders/operation.ts';
import type {
  Action,
  Parameter,
  ResourceParameter,
  ValueType,
} from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import type { Assembly } from '../assemble.ts';
import type { Resolve } from '../builder.ts';
import { describeAction } from '../descriptions/descriptions.ts';
import { bigIntegerOf, type ResourceModel, targetOf } from '../model/model.ts';
import { complete } from '../resolve/projection.ts';
import type { EntityRef } from './object-fields.ts';
import { readerOf } from './values.ts';

/** The GraphQL scalar of each value type. */
export const SCALARS = {
  String: 'String',
  Text: 'String',
  Boolean: 'Boolean',
  Integer: 'SafeInt',
  Float: 'Float',
  Datetime: 'DateTime',
  Custom: 'JSON',
} as const satisfies Record<ValueType, string>;

/**
 * Resolves the value of an output.
 * @param pathIds IDs of the parents that the object shares with the object of an association.
 * @throws UpstreamProtocolError when the value is of another type.
 */
type ResolveValue = (
  value: unknown,
  pathIds: PathIds,
  operation: Operation,
  info: GraphQLResolveInfo,
) => unknown;

/** The field of an output. */
interface OutputField {
  readonly type: unknown;
  /** Null if the field is a value. */
  readonly association: { readonly parameter: ResourceParameter; readonly target: ResourceModel } | null;
  readonly resolve: ResolveValue;
}

/**
 * Chooses the type of an output. An association is an object where its resource has a type.
 * @param coordinate Schema coordinate of the field, for warnings.
 */
export function outputFieldOf(
  assembly: Assembly,
  resource: ResourceModel,
  parameter: Parameter,
  coordinate: string,
): OutputField {
  const { model, types } = assembly;
  const target = targetOf(model, parameter);
  const associated = target === null ? null : types.typeFor(target);
  if (parameter.type !== 'Resource' || associated === null) {
    const value = chooseValue(assembly, resource, parameter, coordinate);
    return { ...value, association: null };
  }
  return {
    type: associated.ref,
    association: { parameter, target: associated.resource },
    resolve: associationResolver(assembly, parameter, associated.resource, coordinate),
  };
}

/** Chooses the enum of the input with the same name, if there is one; else the parameter's scalar. */
function chooseValue(
  { enums }: Assembly,
  resource: ResourceModel,
  parameter: Parameter,
  coordinate: string,
): Pick<OutputField, 'type' | 'resolve'> {
  const { name, type } = parameter;
  if (type === 'Integer' && resource.bigInts.has(name))
    return { type: 'BigInt', resolve: readerOf({ name, type: 'BigInt' }) };
  const override = `"bigInts": ["${bigIntegerOf(resource.typeName, parameter)}"]`;
  const read = readerOf(parameter, ` If it is usual, set ${override} in the overrides.`);
  const served = enums.enumForOutput(resource, parameter);
  if (served === null) return { type: type === 'Resource' ? 'JSON' : SCALARS[type], resolve: read };
  return {
    type: served.ref,
    // A value that the enum does not contain is a warning, because an error would repeat for each row.
    resolve(value, _pathIds, operation) {
      const text = read(value);
      if (typeof text !== 'string' || served.values.has(text)) return text;
      operation.warn('ENUM_VALUE_UNKNOWN', coordinate);
      return null;
    },
  };
}

/** Returns the function that resolves an association to its object, with the selected fields, or to null. */
function associationResolver(
  { metaNamespace }: Assembly,
  { valueId, valueLabel }: ResourceParameter,
  target: ResourceModel,
  coordinate: string,
): ResolveValue {
  return (value, pathIds, operation, info) => {
    const shape = { valueId, valueLabel, metaNamespace, pathIds };
    const association = readAssociation(value, target.identity, shape);
    if (association.kind === 'hidden') operation.warn('ASSOCIATION_HIDDEN', coordinate);
    if (association.kind !== 'entity') return null;
    const { entity } = association;
    return complete(entity, target, operation, info);
  };
}

/** Pothos cannot know whether a field is a list. A list and its items are nullable. */
export const nullable = (type: unknown): true =>
  (Array.isArray(type) ? { list: true, items: true } : true) as true;

/** Returns the options of a field that calls an action. The casts are needed because TypeScript does not know its type. */
export function fieldOptions<Args>(type: unknown, args: Args, action: Action, resolve: Resolve) {
  return {
    type: type as EntityRef,
    nullable: nullable(type),
    args,
    description: describeAction(action),
    extensions: { action },
    ...(action.deprecated === null ? {} : { deprecationReason: action.deprecated }),
    resolve: resolve as never,
  };
}

/** Adds to the options of a field that it is null only with an error. Printed schemas show the directive `@semanticNonNull`. */
export const nullOnlyWithError = <T extends { readonly extensions: object }>(options: T) => ({
  ...options,
  extensions: { ...options.extensions, directives: { semanticNonNull: {} } },
});

/** @throws UpstreamProtocolError when a value is null. */
export function refuseNull<T>(value: T, coordinate: string): T {
  if (value !== null && value !== undefined) return value;
  throw new UpstreamProtocolError(
    `The management API returned no value for ${coordinate} that the schema can show, although it is described as required. If that is usual, set "nonNull": { "${coordinate}": false } in the overrides.`,
  );
}
