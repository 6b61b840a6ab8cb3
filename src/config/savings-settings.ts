// The settings of the techniques that save upstream calls.
import type * as z from 'zod';
import { group, setting } from './setting.ts';
import { onOrOff, secondsOfResources } from './values.ts';

/** The techniques that save upstream calls, each with its off switch. */
export const savings = group(
  {
    earlyReads: setting(onOrOff(), {
      flag: '--early-reads WHETHER',
      help: '`on`: the fields of an object that a client names by id are read together with the object. `off`: after it',
    }),
    idWindows: setting(onOrOff(), {
      flag: '--id-windows WHETHER',
      help: '`on`: when objects with ids close to each other are needed again, one call of their list reads those that are unchanged. `off`: a call for each object',
    }),
    sharedReads: setting(onOrOff(), {
      flag: '--shared-reads WHETHER',
      help: '`on`: equal reads that are in progress for one credential share a call. `off`: each operation makes its own calls',
    }),
    keptAnswers: setting(secondsOfResources().default([]), {
      flag: '--kept-answers A,B',
      help: 'resources whose responses are kept for each credential, with a number of seconds, such as `shelf.book=30`; changes by others are seen only after that time',
    }),
  },
  'Fewer calls',
);

/** Converts the settings to options of a facade. */
export function callSavings({ earlyReads, idWindows, sharedReads, keptAnswers }: z.output<typeof savings>) {
  return {
    earlyReads: earlyReads === 'on',
    idWindows: idWindows === 'on',
    sharedReads: sharedReads === 'on',
    keptAnswers: new Map(keptAnswers),
  };
}
