// Defines the resource of the API server process.
import { write } from '../domain/write-actions.ts';
import type { ResourceDefinition } from '../engine/definition.ts';
import { string } from '../engine/parameters.ts';

/** The server process. Unlocking an unlocked key checks the passphrase again, and a wrong passphrase does not lock the key. */
export const apiServer: ResourceDefinition = {
  description: 'Manage API server',
  output: {},
  actions: {
    unlock_transaction_signing_key: write({
      description: 'Unlock private key used for signing transactions',
      method: 'GET',
      route: '/unlock_transaction_signing_key',
      role: 'admin',
      input: { passphrase: string({ label: 'Passphrase', required: true }) },
      output: {},
      change({ store, input }) {
        const key = store.rows('signing_keys')[0];
        return key && key['passphrase'] === input.get('passphrase')
          ? { onSuccess: () => store.update('signing_keys', key.id, { unlocked: true }) }
          : { ok: false, message: 'unable to unlock the key: wrong passphrase' };
      },
    }),
  },
};
