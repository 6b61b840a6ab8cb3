// Selects values at a path of a result.
import { isRecord } from '../../config/given-settings.ts';
import { usageError } from '../exit-codes.ts';

/**
 * Lists the values at a path of names, through all lists on the way. Dots at its start and brackets, as jq wants them, are ignored.
 * @throws CommandError when no object there has the name.
 */
export function select(value: unknown, path: string): readonly unknown[] {
  const names = path
    .replaceAll('[]', '')
    .split('.')
    .filter((name) => name !== '');
  let found = itemsOf(value);
  for (const [index, name] of names.entries()) {
    const objects = found.filter(isRecord);
    const owners = objects.filter((object) => Object.hasOwn(object, name));
    if (owners.length === 0 && objects.length > 0) {
      const place = names.slice(0, index).join('.') || 'the data';
      const known = [...new Set(objects.flatMap((object) => Object.keys(object)))].join(', ');
      throw usageError(`--select: there is no ${JSON.stringify(name)} in ${place}, which has ${known}.`);
    }
    found = owners.flatMap((object) => itemsOf(object[name]));
  }
  return found;
}

/** The items of a list, its lists included; null has none. */
function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(itemsOf);
  return value === null || value === undefined ? [] : [value];
}
