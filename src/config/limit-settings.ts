// The settings of limits. Each has the name that it has in the option `limits` of the library.
import type * as z from 'zod';
import { LIMITS, type Limit } from '../server/limits.ts';
import { group, setting } from './setting.ts';
import { integer } from './values.ts';

type LimitSettings = {
  [Name in keyof typeof LIMITS as (typeof LIMITS)[Name] extends Limit ? Name : never]: z.ZodDefault<z.ZodInt>;
};

const defined = Object.entries<Limit | number>(LIMITS).flatMap(([name, limit]) => {
  if (typeof limit === 'number') return [];
  const help = name.endsWith('Time') ? `${limit.help}; in milliseconds` : limit.help;
  return [[name, setting(integer(limit.least).default(limit.value), null, { help })]];
});

/** All limits that an operator may set. */
export const limits = group(Object.fromEntries(defined) as LimitSettings, 'Limits');
