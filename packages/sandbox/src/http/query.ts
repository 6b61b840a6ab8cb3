// Parses query strings with brackets.

/** A query string with invalid percent-encoding, or with one name for values of different kinds. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery';
}

type Tree = { [key: string]: string | Tree | (string | Tree)[] };

/**
 * Parses a query string with brackets, for example `a[b]=1&c[]=2`, into nested values. Every leaf is a string.
 * @throws InvalidQuery when the query string cannot be read.
 */
export function parseQuery(query: string): Readonly<Record<string, unknown>> {
  const root = createTree();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    setValue(root, splitName(name), equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return root;
}

/** The object has no prototype because a parameter may have the name `__proto__`. */
function createTree(): Tree {
  return Object.create(null) as Tree;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new InvalidQuery('invalid query encoding', { cause });
  }
}

function splitName(name: string): readonly string[] {
  const first = /^[^[]+/.exec(name)?.[0];
  if (first === undefined) return [name];
  const rest = name.slice(first.length);
  if (!/^(\[[^\]]*\])*$/.test(rest)) return [name];
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')];
}

function setValue(root: Tree, keys: readonly string[], value: string): void {
  let tree = root;
  for (const [index, key] of keys.entries()) {
    const next = keys[index + 1];
    if (next === undefined) {
      tree[key] = value;
    } else if (next === '') {
      const list = tree[key] ?? [];
      if (!Array.isArray(list)) throw new InvalidQuery(`expected ${key} to be a list throughout the query`);
      list.push(value);
      tree[key] = list;
      return;
    } else {
      const inner = tree[key] ?? createTree();
      if (typeof inner === 'string' || Array.isArray(inner)) {
        throw new InvalidQuery(`expected ${key} to be a set of parameters throughout the query`);
      }
      tree[key] = inner;
      tree = inner;
    }
  }
}
