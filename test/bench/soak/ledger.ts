// Records every write with its response, and compares both with the rows of the sandbox.
import type { Sandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { readList } from '../../helpers/sandbox-requests.ts';

/** The response to a write. `unknown`: its outcome is unknown, or the connection broke. */
export type WriteResponse = 'done' | 'refused' | 'unknown';

interface Write {
  readonly label: string;
  readonly list: string;
  response: WriteResponse;
  /** A code or a short text. */
  why: string;
}

/** How often writes may be found, by their responses. */
const ALLOWED: Readonly<Record<WriteResponse, readonly number[]>> = {
  done: [1],
  refused: [0],
  unknown: [0, 1],
};

/** The responses in words. */
const RESPONSES: Readonly<Record<WriteResponse, string>> = {
  done: 'response: success',
  refused: 'response: refused',
  unknown: 'no response, or unknown outcome',
};

const PAGE = 1_000;

/** The writes of a soak. */
export class Ledger {
  readonly #writes: Write[] = [];

  /** Notes a write before it is sent. @param list The list that will have its row, such as `/v7.0/dns_records`. */
  begin(list: string): { readonly label: string; record(response: WriteResponse, why: string): void } {
    const label = `soak-${this.#writes.length + 1}`;
    const write: Write = { label, list, response: 'unknown', why: 'never answered' };
    this.#writes.push(write);
    return {
      label,
      record(response, why) {
        write.response = response;
        write.why = why;
      },
    };
  }

  /** The number of writes by response and by how often they were found, and the writes that break the promise. */
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
    for (const { label, list, response, why } of this.#writes) {
      const times = found.get(label) ?? 0;
      const name = `${RESPONSES[response]}; rows found: ${times}`;
      counts[name] = (counts[name] ?? 0) + 1;
      if (!ALLOWED[response].includes(times)) wrong.push(`${label} in ${list}: ${name} (${why})`);
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
