// Writes the example query of the explorer's first tab.
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  print,
} from 'graphql';
import { rowTypeOf } from '../origin.ts';

type Field = GraphQLField<unknown, unknown>;

/** A list of `Query` and the type of its rows. */
interface ExampleList {
  readonly field: Field;
  readonly row: GraphQLObjectType;
}

/**
 * Finds the list whose rows have the most edges; null for a schema without lists. Running actions come last, because most callers have
 * none.
 */
export function findExampleList(schema: GraphQLSchema): ExampleList | null {
  const query = schema.getQueryType();
  if (!query) return null;
  const lists = fieldsWithoutRequiredArguments(query).flatMap((field) => {
    const row = rowTypeOf(field);
    return row === null
      ? []
      : [
          {
            field,
            row,
            edges: isActionState(row) ? -1 : associationFields(row).length + nestedLists(row).length,
          },
        ];
  });
  const [best] = lists.sort((a, b) => b.edges - a.edges || (a.field.name < b.field.name ? -1 : 1));
  return best ?? null;
}

/** An example query: a list with some of the edges of its rows. Null for a schema without lists. */
export function createExampleQuery(schema: GraphQLSchema): string | null {
  const best = findExampleList(schema);
  if (best === null) return null;
  const associations = associationFields(best.row).slice(0, 2);
  const [nested] = [...nestedLists(best.row)].sort((a, b) => fieldCount(b) - fieldCount(a));
  const selected = [
    ...leafNames(best.row, 3),
    ...associations.map((field) => `${field.name} { ${leafNames(objectType(field), 0).join(' ')} }`),
    ...(nested === undefined
      ? []
      : [`${nested.name}(first: 3) { nodes { ${leafNames(rowTypeOf(nested), 2).join(' ')} } }`]),
  ].join(' ');
  const query = `query Example {
    ${best.field.name}(first: 5) { nodes { ${selected} } pageInfo { hasNextPage endCursor } }
  }`;
  return `${print(parse(query))}\n`;
}

/** The protocol's type of running actions, which has this name in every schema. */
const isActionState = (row: GraphQLObjectType): boolean => row.name === 'ActionState';

function fieldsWithoutRequiredArguments(type: GraphQLObjectType): readonly Field[] {
  return Object.values(type.getFields()).filter(
    (field) => !field.deprecationReason && !field.args.some(isRequiredArgument),
  );
}

function objectType(field: Field): GraphQLObjectType | null {
  const type = getNamedType(field.type);
  return isObjectType(type) ? type : null;
}

const fieldCount = (list: Field): number => Object.keys(rowTypeOf(list)?.getFields() ?? {}).length;

/** Associations, which need no arguments. */
export function associationFields(type: GraphQLObjectType): readonly Field[] {
  return fieldsWithoutRequiredArguments(type).filter((field) => {
    const target = objectType(field);
    return (
      target !== null &&
      field.args.length === 0 &&
      'id' in target.getFields() &&
      'label' in target.getFields()
    );
  });
}

/** Lists of nested resources. The names of their types begin with the name of this type. */
function nestedLists(type: GraphQLObjectType): readonly Field[] {
  return fieldsWithoutRequiredArguments(type).filter(
    (field) => rowTypeOf(field)?.name.startsWith(type.name) && rowTypeOf(field) !== type,
  );
}

/** Names of leaf fields: the id, the label and up to `more` others, or what every type has. */
export function leafNames(type: GraphQLObjectType | null, more: number): readonly string[] {
  const leaves = Object.values(type?.getFields() ?? {}).filter(
    (field) => !field.deprecationReason && isLeafType(getNamedType(field.type)),
  );
  const names = leaves.map((field) => field.name);
  const lead = ['id', 'label'].filter((name) => names.includes(name));
  const others = names.filter((name) => !lead.includes(name) && name !== 'databaseId');
  const chosen = [...lead, ...others.slice(0, more)];
  return chosen.length === 0 ? ['__typename'] : chosen;
}
