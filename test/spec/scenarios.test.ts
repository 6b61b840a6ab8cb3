import { expect, test } from 'vitest';
import { startPair } from '../helpers/facade.ts';
import { readObject as held } from '../helpers/sandbox-requests.ts';
import { scenarios } from './scenarios.ts';

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
  '%s',
  async (_title, { steps, holds }) => {
    await using pair = await startPair({ sandbox: { step: 0 } });
    for (const [login, mutation, refused] of steps) {
      const { data } = await pair.ask(`mutation { it: ${mutation} { userErrors { path } } }`, { login });
      const userErrors = refused === undefined ? [] : [{ path: ['input', refused] }];
      expect([mutation, data]).toEqual([mutation, { it: { userErrors } }]);
    }
    for (const [path, object] of Object.entries(holds))
      expect(await held(pair.sandbox, path)).toMatchObject(object as object);
  },
);
