// Tests that mutations wait for actions whose state the caller cannot list.

import { describe, expect, it } from 'vitest';
import { ask, type Pair, startPair } from '../../helpers/facade.ts';
import { signIn } from '../../helpers/sign-in.ts';

const CREATE = `mutation {
  dnsRecordCreate(
    input: { dnsZone: 4, name: "home", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }
    wait: 20
  ) { dnsRecord { id dynamicUpdateUrl } }
}`;
const UPDATE = `mutation ($token: String!) {
  dnsRecordDynamicUpdate(accessToken: $token, wait: 10) {
    dnsRecord: result { content }
    actionState { outcome progress }
    userErrors { message }
  }
}`;
const updated = {
  dnsRecord: { content: '127.0.0.1' },
  actionState: { outcome: 'SUCCEEDED', progress: 1 },
  userErrors: [],
};

/** The secret of a new record that its client may update. */
async function secretOf(pair: Pair): Promise<string> {
  const { data } = await pair.ask<{ dnsRecordCreate: { dnsRecord: { dynamicUpdateUrl: string } } }>(CREATE);
  return data?.dnsRecordCreate.dnsRecord.dynamicUpdateUrl.split('/').at(-1) ?? '';
}

describe('waiting for a dynamic update', () => {
  it('works for a caller without a credential', async () => {
    await using pair = await startPair({ sandbox: { step: 20 } });
    const token = await secretOf(pair);
    const { data, errors } = await pair.ask(UPDATE, { login: null, variables: { token } });
    expect(errors).toEqual([]);
    expect(data).toEqual({ dnsRecordDynamicUpdate: updated });
  });

  it('works for a caller whose token has another scope', async () => {
    await using pair = await startPair({ sandbox: { step: 20 } });
    const token = await secretOf(pair);
    const scoped = await signIn(pair.sandbox, { scope: 'dataset#index' });
    const headers = { [pair.sandbox.tokenHeader]: scoped };
    const { data, errors } = await ask(pair.facade, UPDATE, { variables: { token }, headers });
    expect(errors).toEqual([]);
    expect(data).toEqual({ dnsRecordDynamicUpdate: updated });
  });
});
