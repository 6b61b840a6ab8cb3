// Writes documents within the default limits whose validation takes as much work as possible.

const repeat = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** The fields of a schema that the documents use. */
export interface HostileFields {
  /** A field of the query type, with its arguments. */
  readonly root: string;
  /** The type of its object. */
  readonly type: string;
  /** A field of that type, of that type. */
  readonly self: string;
  /** A plain field of that type. */
  readonly leaf: string;
}

/** Documents by what is special about them. */
export function writeHostileDocuments({ root, type, self, leaf }: HostileFields): Record<string, string> {
  const open = `{ ${root}`;
  return {
    'one field again and again': `${open} { ${repeat(19_000, () => leaf)} } }`,
    'one object again and again': `${open} { ${repeat(3_000, () => `${self} { ${leaf} }`)} } }`,
    'objects in objects again and again': `${open} { ${repeat(1_000, () => `${self} { ${self} { ${self} { ${leaf} } } }`)} } }`,
    'inline fragments': `${open} { ${repeat(3_000, () => `... on ${type} { ${leaf} }`)} } }`,
    'fragments that spread each other': `${open} { ${repeat(150, (index) => `...F${index}`)} } } ${repeat(
      150,
      (index) =>
        `fragment F${index} on ${type} { ${leaf} ${self} { ${leaf} } ${repeat(Math.min(40, 149 - index), (next) => `...F${index + 1 + next}`)} }`,
    )}`,
    'fragments with many fields': `${open} { ${repeat(100, (index) => `...F${index}`)} } } ${repeat(
      100,
      (index) => `fragment F${index} on ${type} { ${repeat(40, () => `${self} { ${leaf} }`)} }`,
    )}`,
    'a cycle of fragments': `${open} { ...F0 } } ${repeat(150, (index) => `fragment F${index} on ${type} { ${leaf} ...F${(index + 1) % 150} ${index === 149 ? repeat(8_000, () => '...F0') : ''} }`)}`,
    'fields in conflict': `${open} { ${repeat(240, (index) => `a: ${index % 2 === 0 ? leaf : '__typename'}`)} } }`,
    'objects in conflict': `${open} { ${repeat(1_200, (index) => `${self} { ${self} { ${index < 120 ? 'a:' : ''} ${index % 2 === 0 ? leaf : '__typename'} } }`)} } }`,
    'unknown fields': `${open} { ${repeat(19_000, (index) => `${leaf}${index}`)} } }`,
    'unknown types': `query(${repeat(4_000, (index) => `$v${index}: ${type}${index}`)}) { __typename }`,
    'unknown arguments': `${open} { ${leaf}(${repeat(6_000, (index) => `a${index}: 1`)}) } }`,
    'unused variables': `query(${repeat(4_000, (index) => `$v${index}: Int`)}) { __typename }`,
    'undefined variables': `${open} { ${repeat(2_500, (index) => `${leaf}(a: $v${index})`)} } }`,
    'operations with the variables of a fragment': `${repeat(1_500, (index) => `query Q${index} { ...F }`)} fragment F on Query { ${repeat(90, (index) => `__type(name: $v${index}) { name }`)} }`,
    'many operations': repeat(3_000, (index) => `query Q${index} { __typename }`),
    'a long list': `{ __type(name: [${repeat(19_000, () => '1')}]) { name } }`,
    'a long object': `{ __type(name: {${repeat(6_000, (index) => `a${index}: 1`)}}) { name } }`,
    'errors in the last of many lines': `${open} { ${'\n'.repeat(9_000)} ${repeat(1_000, (index) => `${leaf}${index}`)} } }`,
  };
}
