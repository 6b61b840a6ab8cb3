// Applies patches of RFC 6902, without the operations that no server of this repository sends.

/** Returns a value as a patch changes it. @throws when the patch does not fit the value. */
export function applyPatch(value: unknown, patch: readonly object[]): unknown {
  const root = { value: structuredClone(value) };
  for (const { op, path, value: added } of patch as readonly Operation[]) {
    const names = ['value', ...path.split('/').slice(1).map(unescapeName)];
    const last = names.pop() ?? '';
    const parent = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], root);
    if (Array.isArray(parent)) applyToList(parent, op, Number(last), added);
    else applyToObject(parent as Record<string, unknown>, op, last, added);
  }
  return root.value;
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

function applyToList(list: unknown[], op: Operation['op'], index: number, value: unknown): void {
  const last = op === 'add' ? list.length : list.length - 1;
  if (!(index >= 0 && index <= last)) throw new RangeError(`${op} at ${index} of ${list.length}`);
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [structuredClone(value)]));
}

function applyToObject(
  object: Record<string, unknown>,
  op: Operation['op'],
  name: string,
  value: unknown,
): void {
  if (op !== 'add' && !Object.hasOwn(object, name)) throw new RangeError(`${op} of ${name}`);
  if (op === 'remove') delete object[name];
  else
    Object.defineProperty(object, name, {
      value: structuredClone(value),
      configurable: true,
      enumerable: true,
      writable: true,
    });
}

const unescapeName = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
