// Writes the example query of the explorer's first tab.
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  print,
} from 'graphql';
import { resourceOf, rowTypeOf } from '../origin.ts';

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

/**
 * An example query: a list with what most readers look for first. Its rows have their label, state and times, an edge to one object and
 * a list. Null for a schema without lists.
 */
export function createExampleQuery(schema: GraphQLSchema): string | null {
  const best = findExampleList(schema);
  if (best === null) return null;
  const edges = associationFields(best.row).filter((field) => objectType(field) !== best.row);
  const edge = mostReferenced(schema, edges);
  const nested = fullest(nestedLists(best.row)) ?? fullest(otherLists(best.row));
  const selected = [
    ...leafNames(best.row, 3),
    ...(edge === null ? [] : [`${edge.name} { ${leafNames(objectType(edge), 0).join(' ')} }`]),
    ...(nested === null
      ? []
      : [`${nested.name}(first: 3) { nodes { ${leafNames(rowTypeOf(nested), 2).join(' ')} } }`]),
  ].join(' ');
  const query = `query Example {
    ${best.field.name}(first: 5) { nodes { ${selected} } pageInfo { hasNextPage endCursor } }
  }`;
  return `${print(parse(query))}\n`;
}

/** The field whose type most fields of the schema give, because readers know such an object best; the first of equals. */
function mostReferenced(schema: GraphQLSchema, fields: readonly Field[]): Field | null {
  const references = new Map<string, number>();
  for (const type of Object.values(schema.getTypeMap())) {
    for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
      const { name } = getNamedType(field.type);
      references.set(name, (references.get(name) ?? 0) + 1);
    }
  }
  const count = (field: Field): number => references.get(getNamedType(field.type).name) ?? 0;
  return [...fields].sort((a, b) => count(b) - count(a))[0] ?? null;
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

/** Lists of the resources that are nested in the resource of a type. */
function nestedLists(type: GraphQLObjectType): readonly Field[] {
  const path = `${resourceOf(type)?.join('.')}.`;
  return otherLists(type).filter((field) => {
    const row = rowTypeOf(field);
    return row !== null && resourceOf(row)?.join('.').startsWith(path);
  });
}

/** The list whose rows have most fields; the first of equals. */
function fullest(lists: readonly Field[]): Field | null {
  const count = (list: Field): number => Object.keys(rowTypeOf(list)?.getFields() ?? {}).length;
  return [...lists].sort((a, b) => count(b) - count(a))[0] ?? null;
}

/** Lists whose rows are of other types. */
const otherLists = (type: GraphQLObjectType): readonly Field[] =>
  fieldsWithoutRequiredArguments(type).filter((field) => ![null, type].includes(rowTypeOf(field)));

/** Names of leaf fields: those that identify an object, and up to `more` others: state, times, values. */
export function leafNames(type: GraphQLObjectType | null, more: number): readonly string[] {
  const leaves = Object.values(type?.getFields() ?? {}).filter(
    (field) => !field.deprecationReason && isLeafType(getNamedType(field.type)),
  );
  const names = leaves.map((field) => field.name);
  const lead = ['id', names.includes('label') ? 'label' : 'name'].filter((name) => names.includes(name));
  const others = leaves
    .filter(({ name }) => !lead.includes(name) && name !== 'databaseId')
    .map((field) => ({ name: field.name, rank: readersRank(field) }))
    // Short names stand for common values.
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length);
  const chosen = [...lead, ...others.slice(0, more).map(({ name }) => name)];
  return chosen.length === 0 ? ['__typename'] : chosen;
}

/** How early readers look for a value: first the state, then times, sizes and texts, then switches, last the ids of other objects. */
function readersRank({ name, type }: Field): number {
  if (/(^|[a-z])(state|status)$/i.test(name)) return 0;
  if (/^(created|updated)(At)?$/.test(name)) return 1;
  const value = getNamedType(type);
  if (value.name === 'DateTime') return 2;
  if (isEnumType(value) || value.name === 'Boolean') return 4;
  return /(^id|Id)$/.test(name) || value.name === 'JSON' ? 5 : 3;
}
