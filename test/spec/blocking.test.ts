// Tests when the effect of each blocking action comes, and what the action locks.
import { expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { readObject } from '../helpers/sandbox-requests.ts';

/** A blocking action, what shows that it was done, and what it keeps others from meanwhile. */
interface Blocking {
  /** For example `dataset#update`. */
  readonly action: string;
  /** The mutation, without its selection. */
  readonly begin: string;
  /** A path of the sandbox that tells something else once the action has had its effect. */
  readonly look: string;
  /** What is there at once is taken back when the action fails; all else comes with success. */
  readonly effect: 'at once' | 'with success';
  /** A mutation of something that the action touches, without its selection. */
  readonly kept: string;
}

const atime = (id: number) => `datasetUpdate(id: ${id}, input: { atime: true })`;
const ttl = (id: number) => `dnsRecordUpdate(id: ${id}, input: { ttl: 7 })`;
const SNAPSHOTS = '/v7.0/datasets/12/snapshots';
const BELOW = '/v7.0/datasets?dataset[limit]=1000&dataset[dataset]=';

/** Every blocking action that leaves a trace in its resource. */
const blocking: readonly Blocking[] = [
  {
    action: 'dataset#create',
    begin: 'datasetCreate(input: { name: "fresh", dataset: 12 })',
    look: `${BELOW}12`,
    effect: 'at once',
    kept: atime(12),
  },
  {
    action: 'dataset#update',
    begin: 'datasetUpdate(id: 12, input: { quota: 555, sharenfs: "on" })',
    look: '/v7.0/datasets/12',
    effect: 'with success',
    kept: 'datasetSnapshotCreate(dataset: 12)',
  },
  {
    action: 'dataset#delete',
    begin: 'datasetDelete(id: 103)',
    look: `${BELOW}101`,
    effect: 'with success',
    kept: atime(107),
  },
  {
    action: 'dataset#inherit',
    begin: 'datasetInherit(id: 107, input: { property: "sync" })',
    look: '/v7.0/datasets/107',
    effect: 'with success',
    kept: atime(107),
  },
  {
    action: 'dataset#migrate',
    begin: 'datasetMigrate(id: 12, input: { pool: 2 })',
    look: '/v7.0/datasets?dataset[limit]=1000&dataset[primary_pool]=2',
    effect: 'with success',
    kept: atime(15),
  },
  {
    action: 'dataset.snapshot#create',
    begin: 'datasetSnapshotCreate(dataset: 12, input: { label: "fresh" })',
    look: SNAPSHOTS,
    effect: 'at once',
    kept: atime(12),
  },
  {
    action: 'dataset.snapshot#delete',
    begin: 'datasetSnapshotDelete(id: "dataset/12/snapshot/246")',
    look: SNAPSHOTS,
    effect: 'with success',
    kept: atime(12),
  },
  {
    action: 'dataset.snapshot#rollback',
    begin: 'datasetSnapshotRollback(id: "dataset/12/snapshot/246")',
    look: SNAPSHOTS,
    effect: 'with success',
    kept: atime(12),
  },
  {
    action: 'dataset_expansion#create',
    begin: 'datasetExpansionCreate(input: { dataset: 106, addedSpace: 100 })',
    look: '/v7.0/dataset_expansions',
    effect: 'at once',
    kept: atime(106),
  },
  {
    action: 'dataset_expansion.history#create',
    begin: 'datasetExpansionHistoryCreate(datasetExpansion: 9, input: { addedSpace: 10 })',
    look: '/v7.0/dataset_expansions/9',
    effect: 'with success',
    kept: atime(103),
  },
  {
    action: 'dns_record#create',
    begin: 'dnsRecordCreate(input: { dnsZone: 1, type: TXT, content: "fresh" })',
    look: '/v7.0/dns_records',
    effect: 'at once',
    kept: ttl(363),
  },
  {
    action: 'dns_record#update',
    begin: 'dnsRecordUpdate(id: 2, input: { comment: "fresh" })',
    look: '/v7.0/dns_records/2',
    effect: 'at once',
    kept: ttl(2),
  },
  {
    action: 'dns_record#delete',
    begin: 'dnsRecordDelete(id: 2)',
    look: '/v7.0/dns_records',
    effect: 'with success',
    kept: ttl(2),
  },
];

/** More steps than any action takes. */
const TO_THE_END = 50;

const open = () => startPair({ sandbox: { step: 'manual' } });
const write = (pair: Pair, mutation: string) =>
  pair.ask(`mutation { it: ${mutation} { userErrors { message } } }`);

for (const { action, begin, look, effect } of blocking) {
  test(`[${action}/done] ${action} has its effect ${effect}, and leaves none if it fails`, async () => {
    await using pair = await open();
    const before = await readObject(pair.sandbox, look);
    for (const fails of [true, false]) {
      if (fails) pair.sandbox.failNext('below', action);
      expect((await write(pair, begin)).data).toEqual({ it: { userErrors: [] } });
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

for (const { action, begin, kept } of blocking) {
  test(`[${action}/lock] the sandbox rejects a write to the objects of ${action} until it ends`, async () => {
    await using pair = await open();
    const status = async (): Promise<number | undefined> => {
      await write(pair, kept);
      return pair.calls.findLast(({ method }) => method !== 'GET')?.status;
    };
    await write(pair, begin);
    expect(await status()).toBe(423);
    pair.sandbox.advance(TO_THE_END);
    expect(await status()).not.toBe(423);
  });
}
