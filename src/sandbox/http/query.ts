/** A query string that cannot be read: bad percent-encoding, or one name used as two kinds of thing. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery';
}

type Tree = { [key: string]: string | Tree | (string | Tree)[] };

/** A bracketed query string (`a[b]=1&c[]=2`) as nested values, every leaf a string; throws InvalidQuery. */
export function parseQuery(query: string): Readonly<Record<string, unknown>> {
  const root = empty();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    put(root, keysOf(name), equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return root;
}

/** No prototype: a parameter may be named `__proto__`. */
function empty(): Tree {
  return Object.create(null) as Tree;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new InvalidQuery('invalid query encoding', { cause });
  }
}

function keysOf(name: string): readonly string[] {
  const first = /^[^[]+/.exec(name)?.[0];
  if (first === undefined) return [name];
  const rest = name.slice(first.length);
  if (!/^(\[[^\]]*\])*$/.test(rest)) return [name];
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')];
}

function put(root: Tree, keys: readonly string[], value: string): void {
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
      const inner = tree[key] ?? empty();
      if (typeof inner === 'string' || Array.isArray(inner)) {
        throw new InvalidQuery(`expected ${key} to be a set of parameters throughout the query`);
      }
      tree[key] = inner;
      tree = inner;
    }
  }
}
