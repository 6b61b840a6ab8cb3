// Callers who write: snapshots and DNS records with labels of their own, with and without waiting for their actions.
import type { Ledger, WriteResponse } from './ledger.ts';
import { type Answer, type Client, chance, type Load, pick, randomInt } from './load.ts';

/** Where writers may write: ids of datasets and of DNS zones. */
export interface Places {
  readonly datasets: readonly number[];
  readonly zones: readonly number[];
}

/** Seconds that a write waits for its action, which takes about 3. */
const WAIT = 20;

const FIELDS = 'actionState { id outcome } userErrors { code }';
const SNAPSHOT = `mutation ($parent: ID!, $label: String, $wait: Float) {
  write: datasetSnapshotCreate(dataset: $parent, input: { label: $label }, wait: $wait) { snapshot { id label } ${FIELDS} } }`;
const RECORD = `mutation ($parent: ID!, $label: String!, $content: String!, $wait: Float) {
  write: dnsRecordCreate(input: { dnsZone: $parent, name: $label, type: A, content: $content }, wait: $wait) {
    dnsRecord { id name } ${FIELDS} } }`;

interface Payload {
  readonly actionState: { readonly id: string; readonly outcome: string } | null;
  readonly userErrors: readonly { readonly code: string }[];
}

/** Writes until the load ends. */
export function runWriter(load: Load, client: Client, ledger: Ledger, places: Places): Promise<void> {
  return load.repeat(
    client.role,
    () => randomInt(200, 1_200),
    async () => {
      const wait = chance(0.5) ? WAIT : null;
      if (chance(0.5)) await createSnapshot(load, client, ledger, places, wait);
      else await createRecord(load, client, ledger, places, wait);
    },
  );
}

/** Creates a snapshot of any dataset. Returns the id of its running action; null when there is none. */
export async function createSnapshot(
  load: Load,
  client: Client,
  ledger: Ledger,
  { datasets }: Places,
  wait: number | null,
): Promise<string | null> {
  const dataset = pick(datasets);
  const write = ledger.begin(`/v7.0/datasets/${dataset}/snapshots`);
  return send(load, client, SNAPSHOT, { parent: dataset, label: write.label, wait }, write.record);
}

/** Creates a DNS record. One in ten has a content that the API refuses. */
async function createRecord(
  load: Load,
  client: Client,
  ledger: Ledger,
  { zones }: Places,
  wait: number | null,
): Promise<void> {
  const write = ledger.begin('/v7.0/dns_records');
  const content = chance(0.1) ? 'no address' : '192.0.2.1';
  await send(load, client, RECORD, { parent: pick(zones), label: write.label, content, wait }, write.record);
}

/** Sends a write and records the response. One client in twenty leaves before the answer. */
async function send(
  load: Load,
  client: Client,
  mutation: string,
  variables: Readonly<Record<string, unknown>> & { readonly wait: number | null },
  record: (response: WriteResponse, why: string) => void,
): Promise<string | null> {
  const { role } = client;
  const leaves = chance(0.05);
  const startedAt = Date.now();
  let answer: Answer;
  try {
    const signal = leaves ? AbortSignal.timeout(randomInt(1, 60)) : undefined;
    answer = await load.ask(client, mutation, variables, signal);
  } catch (error) {
    record('unknown', String(error));
    if (!leaves) throw error;
    load.count(role, 'writes left');
    return null;
  }
  const { data, errors } = answer;
  load.count(role, 'writes');
  load.noteErrors(role, errors, startedAt);
  const payload = (data?.['write'] ?? null) as Payload | null;
  const codes = errors.map(({ extensions }) => extensions?.code ?? 'no code');
  if (payload === null) {
    record(codes.includes('OUTCOME_UNKNOWN') ? 'unknown' : 'refused', codes.join());
    return null;
  }
  const refusals = payload.userErrors.map(({ code }) => code);
  record(refusals.length === 0 ? 'done' : 'refused', [...refusals, ...codes].join());
  if (refusals.length > 0) load.count(role, `refused ${refusals.join()}`);
  const { id, outcome } = payload.actionState ?? { id: null, outcome: null };
  if (variables.wait !== null && id !== null) noteWait(load, role, outcome, startedAt);
  return id;
}

/** A write that waited has the end of its action, except when a fault delayed the action's state. */
function noteWait(load: Load, role: string, outcome: string | null, startedAt: number): void {
  if (outcome === 'SUCCEEDED') load.count(role, 'waits to the end');
  else if (load.hadFault(startedAt)) load.count(role, 'waits cut by a fault');
  else load.noteUnexplained(role, 'wait without end', `outcome ${outcome}`);
}
