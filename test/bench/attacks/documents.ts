// The documents that clients of the bench of attacks send, each within the limits of a document.
import { getIntrospectionQuery } from 'graphql';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const introspection = getIntrospectionQuery().replace(/^[^{]*\{/, '');
const [ofSchema = '', fragments = ''] = introspection.split(/\}\s*(?=fragment FullType)/);

/** Aliases of `__schema` in one introspection. */
const ALIASES = 10;

/** Documents that take long to parse, validate or plan, near the limits. They are valid for users; an anonymous schema lacks their fields. */
const COSTLY: readonly ((n: number) => string)[] = [
  (n) =>
    `query Q${n} { ${range(1_900)
      .map((one) => `datasetz${n}x${one}`)
      .join(' ')} }`,
  (n) =>
    `query Q${n} { datasets(first: 1) { nodes { ${range(40)
      .map((one) => `...F${one}`)
      .join(' ')} } } }
     ${range(40)
       .map(
         (one) =>
           `fragment F${one} on Dataset { id name used user { login } ${range(Math.min(17, 39 - one))
             .map((next) => `...F${one + next + 1}`)
             .join(' ')} }`,
       )
       .join('\n')}`,
  (n) =>
    `query Q${n} { datasets(first: 1) { nodes { ${'user { id login fullName } parent { id name user { login } } environment { id label } '.repeat(49)} } } }`,
];

const LISTS = [
  `datasets(first: 100) { nodes { id name used user { login fullName } environment { label description }
   parent { name parent { name } } snapshots(first: 5) { nodes { id label createdAt } } } totalCount }`,
  'dnsZones(first: 12) { nodes { id name user { login } records(first: 10) { nodes { id name type content } } } }',
  'users(first: 100) { nodes { id login fullName } totalCount } environments { nodes { id label } }',
];

/** Makes the nth document of a kind. Documents with other numbers differ, so that nothing kept of one serves another. */
const MAKERS = {
  /** The smallest operation. */
  name: (n: number) => `query Q${n} { __typename }`,
  /** A field that does not exist. */
  invalid: (n: number) => `{ x${n} }`,
  introspection: (n: number) =>
    `{ ${range(ALIASES)
      .map((one) => ofSchema.replace('__schema', `a${n}x${one}: __schema`))
      .join(' ')} } ${fragments}`,
  costly: (n: number) => COSTLY[n % COSTLY.length]?.(n) ?? '',
  /** Lists with nested ones, of the size of a page. */
  lists: (n: number) => `query Q${n} { ${LISTS[n % LISTS.length]} }`,
  /** One list, with another limit in each document, so that no read of it serves another. */
  list: (n: number) => `query Q${n} { datasets(first: ${50 + (n % 400)}) { nodes { id name } } }`,
  /** One call of the API. */
  read: (n: number) => `query Q${n} { dataset(id: "${n}") { id } }`,
} as const satisfies Readonly<Record<string, (n: number) => string>>;

export type DocumentKind = keyof typeof MAKERS;

/** A source of documents of one kind. */
export function documentsOf(kind: DocumentKind, first: number): () => string {
  let next = first;
  return () => MAKERS[kind](next++);
}
