import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** A first query for the explorer: the list whose rows have the most edges, with some of them. Null without any list. */
export function createExampleQuery(schema: GraphQLSchema): string | null {
  const query = schema.getQueryType();
  if (!query) return null;
  const lists = callable(query).flatMap((field) => {
    const row = rowOf(field);
    return row === null ? [] : [{ field, row, edges: associationsOf(row).length + nestedOf(row).length }];
  });
  const [best] = lists.sort((a, b) => b.edges - a.edges || (a.field.name < b.field.name ? -1 : 1));
  if (best === undefined) return null;
  const associations = associationsOf(best.row).slice(0, 3);
  const [nested] = [...nestedOf(best.row)].sort((a, b) => fieldCount(b) - fieldCount(a));
  return lines([
    'query Example {',
    `  ${best.field.name}(first: 5) {`,
    '    nodes {',
    ...leavesOf(best.row, 3).map((name) => `      ${name}`),
    ...associations.map((field) => `      ${field.name} { ${leavesOf(namedObject(field), 0).join(' ')} }`),
    ...(nested === undefined
      ? []
      : [
          `      ${nested.name}(first: 3) {`,
          `        nodes { ${leavesOf(rowOf(nested), 2).join(' ')} }`,
          '      }',
        ]),
    '    }',
    '    pageInfo { hasNextPage endCursor }',
    '  }',
    '}',
  ]);
}

const lines = (text: readonly string[]): string => `${text.join('\n')}\n`;

function callable(type: GraphQLObjectType): readonly Field[] {
  return Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));
}

function namedObject(field: Field): GraphQLObjectType | null {
  const type = getNamedType(field.type);
  return isObjectType(type) ? type : null;
}

/** The type of a connection's rows; null for other fields. */
function rowOf(field: Field): GraphQLObjectType | null {
  const nodes = namedObject(field)?.getFields()['nodes'];
  return nodes === undefined || !field.args.some(({ name }) => name === 'first') ? null : namedObject(nodes);
}

const fieldCount = (list: Field): number => Object.keys(rowOf(list)?.getFields() ?? {}).length;

function associationsOf(type: GraphQLObjectType): readonly Field[] {
  return callable(type).filter((field) => {
    const target = namedObject(field);
    return (
      target !== null &&
      field.args.length === 0 &&
      'id' in target.getFields() &&
      'label' in target.getFields()
    );
  });
}

/** Lists of what is nested in a type: their rows' type has its name as a start. */
function nestedOf(type: GraphQLObjectType): readonly Field[] {
  return callable(type).filter((field) => rowOf(field)?.name.startsWith(type.name) && rowOf(field) !== type);
}

/** The id, the label and some more plain fields. */
function leavesOf(type: GraphQLObjectType | null, more: number): readonly string[] {
  const leaves = Object.values(type?.getFields() ?? {}).filter((field) =>
    isLeafType(getNamedType(field.type)),
  );
  const names = leaves.map((field) => field.name);
  const lead = ['id', 'label'].filter((name) => names.includes(name));
  const others = names.filter((name) => !lead.includes(name) && name !== 'databaseId');
  return [...lead, ...others.slice(0, more)];
}
