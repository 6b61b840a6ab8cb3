// Reads the first two pages of lists, to see how the API pages them and includes associations.
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { isRecord } from '../../config/given-settings.ts';
import { rowTypeOf } from '../../schema/row-type.ts';
import type { CheckResult } from './doctor.ts';
import type { OpenApi } from './open-api.ts';

/** Lists that are probed at most. Each costs a few calls. */
const MAX_LISTS = 20;
/** Associations that are selected of a row at most. */
const MAX_ASSOCIATIONS = 3;

/** What warnings say about the API, and which override helps. */
const MEANINGS: Readonly<Record<string, string>> = {
  INCLUDES_UNAVAILABLE: 'the API fails to include associations, so they cost calls of their own',
  PAGINATION_EMULATED: 'pages are read from the start of the list, because its own paging would lose rows',
  PAGINATION_UNVERIFIED: 'the pages cannot be proved complete. The override "listOrder" states the order',
  COUNT_UNAVAILABLE: 'the API does not count the list',
  ASSOCIATION_HIDDEN: 'the API names associated objects that it does not show to this caller',
  ENUM_VALUE_UNKNOWN: 'rows hold values that are not described. The override "enumValues" adds them',
};

/** Warnings that tell that something cannot be done. Others only tell what it costs. */
const FINDINGS: ReadonlySet<string> = new Set([
  'INCLUDES_UNAVAILABLE',
  'PAGINATION_UNVERIFIED',
  'ENUM_VALUE_UNKNOWN',
]);

/** A list at the root of the schema. */
interface List {
  readonly name: string;
  readonly selection: string;
}

/** Probes the lists that need no arguments. */
export async function probeLists({ served: { schema }, ask }: OpenApi): Promise<readonly CheckResult[]> {
  const all = listsOf(schema.getQueryType());
  const lists = all.slice(0, MAX_LISTS);
  const seen = new Map<string, string[]>();
  const failed: CheckResult[] = [];
  for (const { name, selection } of lists) {
    const { errors = [], extensions } = await readPages(ask, name, selection);
    for (const code of codesOf(extensions?.['warnings'])) seen.set(code, [...(seen.get(code) ?? []), name]);
    const [error] = errors;
    if (error !== undefined)
      failed.push({ check: 'lists', result: 'finding', detail: `${name}: ${error.message}` });
  }
  return [
    {
      check: 'lists',
      result: 'ok',
      detail: `${lists.length} of ${all.length} were read: two pages of two rows`,
    },
    ...failed,
    ...[...seen].map(([code, names]): CheckResult => {
      const detail = `${MEANINGS[code] ?? code}: ${names.join(', ')}`;
      return { check: 'lists', result: FINDINGS.has(code) ? 'finding' : 'ok', detail };
    }),
  ];
}

/** Reads two pages. The result is that of the last page that was read. */
async function readPages(ask: OpenApi['ask'], name: string, selection: string) {
  const query = `query ($after: String) {
    ${name}(first: 2, after: $after) { nodes { ${selection} } pageInfo { hasNextPage endCursor } }
  }`;
  const first = await ask({ query });
  const connection: unknown = first.data?.[name];
  const page: unknown = isRecord(connection) ? connection['pageInfo'] : null;
  const hasMore = isRecord(page) && page['hasNextPage'] === true;
  return hasMore ? ask({ query, variables: { after: page['endCursor'] } }) : first;
}

function listsOf(root: GraphQLObjectType | null | undefined): readonly List[] {
  return Object.values(root?.getFields() ?? {}).flatMap((field) => {
    const row = field.args.some(isRequiredArgument) ? null : rowTypeOf(field);
    return row === null ? [] : [{ name: field.name, selection: selectionOf(row) }];
  });
}

/** Values of a row, and of associations that only an included object or a call of its own can give. */
function selectionOf(row: GraphQLObjectType): string {
  const fields = Object.values(row.getFields());
  const values = fields.filter(isPlainValue).map(({ name }) => name);
  const associations = fields
    .flatMap((field) => {
      const type = getNamedType(field.type);
      const isAssociation = isObjectType(type) && field.args.length === 0 && 'id' in type.getFields();
      const value = isAssociation ? Object.values(type.getFields()).find(isPlainValue) : undefined;
      return value === undefined ? [] : [`${field.name} { ${value.name} }`];
    })
    .slice(0, MAX_ASSOCIATIONS);
  return ['__typename', ...values, ...associations].join(' ');
}

const isPlainValue = ({ name, type, args }: GraphQLField<unknown, unknown>): boolean =>
  args.length === 0 && isLeafType(getNamedType(type)) && !['id', 'databaseId', 'label'].includes(name);

const codesOf = (warnings: unknown): readonly string[] =>
  Array.isArray(warnings) ? warnings.filter(isRecord).map(({ code }) => String(code)) : [];
