// The settings of limits. Each has the key that it has in the option `limits` of the library, and a flag that follows from it.
import type * as z from 'zod';
import { LIMITS, type Limit } from '../server/limits.ts';
import { group, setting } from './setting.ts';
import { integer } from './values.ts';

type Groups = typeof LIMITS;
/** The limits of a group that are settings. */
type LimitSettings<Name extends keyof Groups> = {
  [Key in keyof Groups[Name] as Groups[Name][Key] extends Limit ? Key : never]: z.ZodDefault<z.ZodInt>;
};

function defineGroup<Name extends keyof Groups>(name: Name) {
  const defined = Object.entries<Limit | number>(LIMITS[name]).flatMap(([key, limit]) =>
    typeof limit === 'number' ? [] : [[key, define(name, key, limit)]],
  );
  return group(Object.fromEntries(defined) as LimitSettings<Name>);
}

function define(name: string, key: string, { value, help, least }: Limit) {
  const isTime = /Time(out)?$/.test(key);
  const flag = `--limits-${name}-${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return setting(integer(least).default(value), `${flag} ${isTime ? 'MS' : 'N'}`, {
    help: isTime ? `${help}; in milliseconds` : help,
  });
}

/** All limits that an operator may set. */
export const limits = group(
  {
    document: defineGroup('document'),
    cost: defineGroup('cost'),
    operation: defineGroup('operation'),
    idempotency: defineGroup('idempotency'),
    live: defineGroup('live'),
    upstream: defineGroup('upstream'),
    description: defineGroup('description'),
    transport: defineGroup('transport'),
  },
  'Limits',
);
