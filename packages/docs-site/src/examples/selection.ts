// Chooses what examples select of an object.
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** Fields that lead to one object with an id and a label, and need no arguments. */
export const associationFields = (type: GraphQLObjectType): readonly Field[] =>
  Object.values(type.getFields()).filter((field) => {
    const target = getNamedType(field.type);
    return (
      !field.deprecationReason &&
      field.args.length === 0 &&
      isObjectType(target) &&
      ['id', 'label'].every((name) => name in target.getFields())
    );
  });

/** Names of leaf fields: those that identify an object, and up to `more` others, what says most first. */
export function leafNames(type: GraphQLObjectType | null, more: number): readonly string[] {
  const leaves = Object.values(type?.getFields() ?? {}).filter(
    (field) => !field.deprecationReason && isLeafType(getNamedType(field.type)),
  );
  const names = leaves.map(({ name }) => name);
  const lead = ['id', names.includes('label') ? 'label' : 'name'].filter((name) => names.includes(name));
  const others = leaves
    .filter(({ name }) => !lead.includes(name) && name !== 'databaseId')
    .sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length)
    .map(({ name }) => name);
  const chosen = [...lead, ...others.slice(0, more)];
  return chosen.length === 0 ? ['__typename'] : chosen;
}

/** How early readers look for a value: first the state, then times and values, then switches, last the ids of other objects. */
function rank({ name, type }: Field): number {
  const value = getNamedType(type);
  if (/(^|[a-z])(state|status)$/i.test(name)) return 0;
  if (value.name === 'DateTime') return 1;
  if (isEnumType(value) || value.name === 'Boolean') return 3;
  return /(^id|Id)$/.test(name) || value.name === 'JSON' ? 4 : 2;
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
