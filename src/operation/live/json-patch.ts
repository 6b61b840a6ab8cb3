// Finds the changes between two JSON values, as RFC 6902 writes them.
import { isObject } from '../../upstream/json.ts';

/** One operation of a patch. Its path is a JSON pointer (RFC 6901). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The operations that make one value of another. */
export function createPatch(before: unknown, after: unknown): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  addChanges(operations, '', before, after);
  return operations;
}

function addChanges(operations: PatchOperation[], path: string, before: unknown, after: unknown): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) addItems(operations, path, before, after);
  else if (isObject(before) && isObject(after)) addFields(operations, path, before, after);
  else operations.push({ op: 'replace', path, value: after });
}

function addFields(
  operations: PatchOperation[],
  path: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  for (const name in before)
    if (!Object.hasOwn(after, name)) operations.push({ op: 'remove', path: `${path}/${escapeName(name)}` });
  for (const name in after) {
    const own = `${path}/${escapeName(name)}`;
    if (Object.hasOwn(before, name)) addChanges(operations, own, before[name], after[name]);
    else operations.push({ op: 'add', path: own, value: after[name] });
  }
}

/** Removes the items that are gone or elsewhere, adds those that are new, and changes the others in place. */
function addItems(
  operations: PatchOperation[],
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
): void {
  const current = new Map(keysOf(after).map((key, index) => [key, index]));
  const pairs = keysOf(before).flatMap((key, index): Pair[] => {
    const found = current.get(key);
    return found === undefined ? [] : [[index, found]];
  });
  const kept = longestRising(pairs);
  const [stays, comes] = [new Set(kept.map(([index]) => index)), new Set(kept.map(([, index]) => index))];
  for (let index = before.length - 1; index >= 0; index -= 1)
    if (!stays.has(index)) operations.push({ op: 'remove', path: `${path}/${index}` });
  for (const [index, value] of after.entries())
    if (!comes.has(index)) operations.push({ op: 'add', path: `${path}/${index}`, value });
  for (const [from, to] of kept) addChanges(operations, `${path}/${to}`, before[from], after[to]);
}

/** The index of an item before, and of the same item afterwards. */
type Pair = readonly [before: number, after: number];

/** What identifies each item: its id, that of its node, or all of it; with the number of those before it that have the same. */
function keysOf(items: readonly unknown[]): readonly string[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const key = keyOf(item);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${count} ${key}`;
  });
}

function keyOf(item: unknown): string {
  if (!isObject(item)) return textOf(item);
  const { id, node } = item;
  const known = id ?? (isObject(node) ? node['id'] : undefined);
  return known === undefined || known === null ? textOf(item) : `id ${textOf(known)}`;
}

/** As many pairs as possible whose second indexes rise, like the first ones. Those items need not move. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  /** By length, the chain that ends with the lowest index; each as its last pair and the chain before it. */
  const ends: Chain[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair, previous: ends[low - 1] ?? null };
  }
  const chain: Pair[] = [];
  for (let end = ends.at(-1) ?? null; end !== null; end = end.previous) chain.push(end.pair);
  return chain.reverse();
}

interface Chain {
  readonly pair: Pair;
  readonly previous: Chain | null;
}

const textOf = (value: unknown): string => JSON.stringify(value);
const escapeName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
