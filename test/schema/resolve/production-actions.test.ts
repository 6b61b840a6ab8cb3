// Tests failed actions with the description of the production API.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import { ask, collectLog } from '../../helpers/facade.ts';
import { ok, refuse, startStub } from '../../helpers/stub-upstream.ts';

const FILE = new URL('../../../../shared/data/production-description.json.gz', import.meta.url);
const isThere = existsSync(FILE);
if (!isThere) console.warn('skipped: ../shared/data/production-description.json.gz is not there');

const CHAIN = { id: 77, label: 'Restart', _meta: { path_params: [77], resolved: false } };
const transaction = (id: number, label: string, success: number, done: string) => ({
  id,
  transaction_chain: CHAIN,
  name: 'internal',
  label,
  success,
  done,
});

describe('a failed action of the production API', () => {
  it.skipIf(!isThere)('reports its failed transaction and has a field for its chain', async () => {
    const { response } = JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8'));
    const state = { id: 77, label: 'Restart', finished: true, status: false, current: 1, total: 3 };
    await using upstream = await startStub(response, {
      'vps#restart': () => ok({ _meta: { action_state_id: 77 } }),
      'vps#show': () => refuse('gone', null, 404),
      'action_state#poll': () => ok({ action_state: { ...state, unit: 'transactions' } }),
      'transaction#index': () =>
        ok({
          transactions: [
            transaction(903, 'Clean up', 0, 'waiting'),
            transaction(902, 'Start VPS', 0, 'done'),
            transaction(901, 'Stop VPS', 1, 'done'),
          ],
        }),
      'transaction_chain#show': () => ok({ transaction_chain: { id: 77, state: 'failed', size: 3 } }),
    });
    const facade = await createFacade({
      upstream: upstream.url,
      log: collectLog(),
    });
    try {
      const { data, errors } = await ask(
        facade,
        `mutation { vpsRestart(id: 17, wait: 5) {
          vps { id hostname } userErrors { code message }
          actionState { outcome transactionChain { id state size } }
        } }`,
        { headers: { authorization: 'Bearer one' } },
      );
      expect(errors).toEqual([]);
      expect(data).toEqual({
        vpsRestart: {
          vps: null,
          userErrors: [
            {
              code: 'ACTION_FAILED',
              message: 'The action "Restart" failed at 1 of 3 transactions. Failed step: Start VPS',
            },
          ],
          actionState: {
            outcome: 'FAILED',
            transactionChain: { id: 'transaction_chain/77', state: 'FAILED', size: 3 },
          },
        },
      });
      const call = upstream.calls.find(({ scope }) => scope === 'transaction#index');
      expect(Object.fromEntries(call?.query ?? [])).toEqual({
        'transaction[transaction_chain]': '77',
        'transaction[success]': '0',
        'transaction[done]': 'done',
        'transaction[limit]': '100',
      });
    } finally {
      await facade.close();
    }
  });
});
