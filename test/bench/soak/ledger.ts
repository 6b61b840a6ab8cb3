// Remembers every write with what its client was told, and compares that with the rows of the sandbox.
import type { Sandbox } from '../../../src/sandbox/listen-sandbox.ts';
import { readList } from '../../helpers/sandbox-requests.ts';

/** What a client was told about a write. `unknown`: its outcome is unknown, or the connection broke. */
export type Told = 'done' | 'refused' | 'unknown';

interface Write {
  readonly label: string;
  readonly list: string;
  told: Told;
  /** A code or a short text. */
  why: string;
}

/** How often writes may be found, by what their clients were told. */
const ALLOWED: Readonly<Record<Told, readonly number[]>> = { done: [1], refused: [0], unknown: [0, 1] };

const PAGE = 1_000;

/** The writes of a soak. */
export class Ledger {
  readonly #writes: Write[] = [];

  /** Notes a write before it is sent. @param list The list that will have its row, such as `/v7.0/dns_records`. */
  begin(list: string): { readonly label: string; tell(told: Told, why: string): void } {
    const label = `soak-${this.#writes.length + 1}`;
    const write: Write = { label, list, told: 'unknown', why: 'never answered' };
    this.#writes.push(write);
    return {
      label,
      tell(told, why) {
        write.told = told;
        write.why = why;
      },
    };
  }

  /** The number of writes by what was told and how often they were found, and the writes that break the promise. */
  async compare(sandbox: Sandbox): Promise<{
    readonly counts: Readonly<Record<string, number>>;
    readonly wrong: readonly string[];
  }> {
    const found = new Map<string, number>();
    for (const list of new Set(this.#writes.map((write) => write.list))) {
      for (const label of await readLabels(sandbox, list)) found.set(label, (found.get(label) ?? 0) + 1);
    }
    const counts: Record<string, number> = {};
    const wrong: string[] = [];
    for (const { label, list, told, why } of this.#writes) {
      const times = found.get(label) ?? 0;
      const name = `told ${told}, found ${times} times`;
      counts[name] = (counts[name] ?? 0) + 1;
      if (!ALLOWED[told].includes(times)) wrong.push(`${label} in ${list}: ${name} (${why})`);
    }
    return { counts, wrong };
  }
}

/** Reads the labels of all snapshots, or the names of all records, of a list. */
async function readLabels(sandbox: Sandbox, list: string): Promise<readonly string[]> {
  const namespace = list.endsWith('snapshots') ? 'snapshot' : 'dns_record';
  const labels = new Map<number, string>();
  for (let fromId = 0; ; ) {
    const page = await readList(
      sandbox,
      `${list}?${namespace}[limit]=${PAGE}&${namespace}[from_id]=${fromId}`,
    );
    for (const row of page) labels.set(Number(row['id']), String(row['label'] ?? row['name']));
    if (page.length < PAGE) return [...labels.values()];
    fromId = Math.max(...labels.keys());
  }
}
