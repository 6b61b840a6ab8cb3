// Names the types of resources, and the types that are made of them.
import type { Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assemble.ts';
import { pathKey, type ResourceModel } from '../model/model.ts';
import { choicesOf } from '../model/parameters.ts';
import {
  appendName,
  appendParameter,
  avoidReserved,
  avoidReservedType,
  baseNameOf,
  type ReservedNames,
  typeNameOf,
  withResource,
  withValue,
} from './naming.ts';
import { UniqueNames } from './unique-names.ts';

type NameParts = Pick<Assembly, 'reserved' | 'typeNames'>;

/** Creates the names of the types of a schema. */
export const namesOfTypes = (
  parts: Pick<Assembly, 'given' | 'report'>,
  { types }: ReservedNames,
): UniqueNames =>
  new UniqueNames(
    parts,
    (name) => name,
    [...types].filter((name) => name !== 'ActionState'),
  );

/**
 * Names the types of all resources. What is made of a resource whose type has another name than its path, because of a clash or of the
 * overrides, follows it.
 * @param paths Parents come first.
 */
export const nameResources = (
  paths: readonly (readonly string[])[],
  { reserved, typeNames }: NameParts,
): readonly Pick<ResourceModel, 'path' | 'typeName' | 'baseName'>[] =>
  paths.map((path) => {
    const baseName = baseNameOf(path);
    const ownName = typeNameOf(path, baseName, reserved);
    const other = () => avoidReserved(withResource(baseName), reserved.types);
    const typeName = typeNames.claim(ownName, pathKey(path), other);
    return { path, typeName, baseName: typeName === ownName ? baseName : typeName };
  });

/**
 * Names a type that is made of a resource.
 * @param words What distinguishes it from the resource's other types with this ending; none for a type about the objects.
 * @param ending How the names of such types end.
 */
export function nameType(
  { reserved, typeNames }: NameParts,
  { path, typeName, baseName }: ResourceModel,
  words: string,
  ending: '' | 'connection' | 'edge' | 'filter' | 'input' | 'payload' = '',
): string {
  const suffix = [words, ending].filter((part) => part !== '').join('_');
  const plain = appendName(words === '' ? typeName : baseName, suffix);
  const own = ending === '' ? avoidReservedType(plain, reserved) : avoidReserved(plain, reserved.types);
  return typeNames.claim(own, `${pathKey(path)} ${suffix}`, () => appendName(withResource(baseName), suffix));
}

/** Names the enum of a parameter. */
export function nameEnum(
  { reserved, typeNames }: NameParts,
  resource: ResourceModel,
  parameter: string,
): string {
  const own = avoidReservedType(enumNameOf(resource, parameter), reserved);
  return typeNames.claim(own, `${pathKey(resource.path)} ${parameter}`);
}

/** Names a type that several resources share; null if the name is taken. */
export const nameShared = ({ typeNames }: NameParts, name: string): string | null =>
  typeNames.has(name) ? null : typeNames.claim(name);

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
