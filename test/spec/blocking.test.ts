// Tests when the effect of each blocking action comes, and what the action locks.
import { expect, test } from 'vitest';
import { readObject } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';
import { readRows } from './rows.ts';

/**
 * A call of a blocking action, without its selection; a path of the sandbox that tells something else once the action has had its
 * effect; and a mutation of something that the action touches.
 */
type Case = readonly [begin: string, look: string, kept: string];

const atime = (id: number) => `datasetUpdate(id: ${id}, input: { atime: true })`;
const ttl = (id: number) => `dnsRecordUpdate(id: ${id}, input: { ttl: 7 })`;
const SNAPSHOTS = '/v7.0/datasets/12/snapshots';
const SNAPSHOT = 'dataset/12/snapshot/246';
const RECORDS = '/v7.0/dns_records';
const BELOW = '/v7.0/datasets?dataset[limit]=1000&dataset[dataset]=';

/** Every blocking action that leaves a trace in its resource. */
const CASES: Readonly<Record<string, Case>> = {
  'dataset#create': ['datasetCreate(input: { name: "fresh", dataset: 12 })', `${BELOW}12`, atime(12)],
  'dataset#update': [
    'datasetUpdate(id: 12, input: { quota: 555, sharenfs: "on" })',
    '/v7.0/datasets/12',
    'datasetSnapshotCreate(dataset: 12)',
  ],
  'dataset#delete': ['datasetDelete(id: 103)', `${BELOW}101`, atime(107)],
  'dataset#inherit': [
    'datasetInherit(id: 107, input: { property: "sync" })',
    '/v7.0/datasets/107',
    atime(107),
  ],
  'dataset#migrate': [
    'datasetMigrate(id: 12, input: { pool: 2 })',
    '/v7.0/datasets?dataset[limit]=1000&dataset[primary_pool]=2',
    atime(15),
  ],
  'dataset.snapshot#create': [
    'datasetSnapshotCreate(dataset: 12, input: { label: "fresh" })',
    SNAPSHOTS,
    atime(12),
  ],
  'dataset.snapshot#delete': [`datasetSnapshotDelete(id: "${SNAPSHOT}")`, SNAPSHOTS, atime(12)],
  'dataset.snapshot#rollback': [`datasetSnapshotRollback(id: "${SNAPSHOT}")`, SNAPSHOTS, atime(12)],
  'dataset_expansion#create': [
    'datasetExpansionCreate(input: { dataset: 106, addedSpace: 100 })',
    '/v7.0/dataset_expansions',
    atime(106),
  ],
  'dataset_expansion.history#create': [
    'datasetExpansionHistoryCreate(datasetExpansion: 9, input: { addedSpace: 10 })',
    '/v7.0/dataset_expansions/9',
    atime(103),
  ],
  'dns_record#create': [
    'dnsRecordCreate(input: { dnsZone: 1, type: TXT, content: "fresh" })',
    RECORDS,
    ttl(363),
  ],
  'dns_record#update': ['dnsRecordUpdate(id: 2, input: { comment: "fresh" })', `${RECORDS}/2`, ttl(2)],
  'dns_record#delete': ['dnsRecordDelete(id: 2)', RECORDS, ttl(2)],
};

const caseOf = (action: string): Case => {
  const found = CASES[action];
  if (found === undefined) throw new Error(`there is no case of ${action}`);
  return found;
};

/** More steps than any action takes. */
const TO_THE_END = 50;

const pair = renewPair({ sandbox: { step: 'manual' } });
const write = (mutation: string) => pair.ask(`mutation { it: ${mutation} { userErrors { message } } }`);

for (const [id, , action = '', effect] of readRows(/^The effect of `(\S+)` comes (at once|with success); /)) {
  test(`[${id}] ${action} has its effect ${effect}, and leaves none if it fails`, async () => {
    const [begin, look] = caseOf(action);
    const before = await readObject(pair.sandbox, look);
    for (const fails of [true, false]) {
      if (fails) pair.sandbox.failNext('below', action);
      expect((await write(begin)).data).toEqual({ it: { userErrors: [] } });
      const meanwhile = expect(await readObject(pair.sandbox, look));
      if (effect === 'at once') meanwhile.not.toEqual(before);
      else meanwhile.toEqual(before);
      pair.sandbox.advance(TO_THE_END);
      const after = expect(await readObject(pair.sandbox, look));
      if (fails) after.toEqual(before);
      else after.not.toEqual(before);
    }
  });
}

for (const [id, , action = ''] of readRows(/^Writes of what `(\S+)` touches answer 423 until it ends\.$/)) {
  test(`[${id}] the sandbox rejects a write to the objects of ${action} until it ends`, async () => {
    const [begin, , kept] = caseOf(action);
    const status = async (): Promise<number | undefined> => {
      await write(kept);
      return pair.calls.findLast(({ method }) => method !== 'GET')?.status;
    };
    await write(begin);
    expect(await status()).toBe(423);
    pair.sandbox.advance(TO_THE_END);
    expect(await status()).not.toBe(423);
  });
}
