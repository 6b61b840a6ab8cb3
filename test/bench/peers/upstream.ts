// Reads the management API for the hand-written servers: one pool, and a loader for each request.
import DataLoader from 'dataloader';
import { Pool } from 'undici';

/** A row, or a reference to one. */
export interface UpstreamRow {
  readonly id: number;
  readonly [parameter: string]: unknown;
}

/** What the resolvers of one request share. */
export interface Upstream {
  readonly listDatasets: (limit: number, after: number) => Promise<readonly UpstreamRow[]>;
  readonly listSnapshots: (dataset: number, limit: number) => Promise<readonly UpstreamRow[]>;
  readonly datasets: DataLoader<number, UpstreamRow>;
  readonly users: DataLoader<number, UpstreamRow>;
}

/** The address at which these servers find the management API: their only argument. */
const address = process.argv[2] ?? '';
const pool = new Pool(address, { connections: 64 });

/** The header in which a client's token arrives and is sent on. */
export const TOKEN_HEADER = 'x-library-token';

interface Envelope {
  readonly status: boolean;
  readonly message: string | null;
  readonly response: Readonly<Record<string, unknown>>;
}

/** Opens the management API for a request with this token. */
export function openUpstream(token: string): Upstream {
  const headers = { [TOKEN_HEADER]: token, accept: 'application/json' };
  const get = async <Result>(path: string, namespace: string): Promise<Result> => {
    const { body } = await pool.request({ method: 'GET', path, headers });
    const { status, message, response } = (await body.json()) as Envelope;
    if (!status) throw new Error(message ?? `${path} failed`);
    return response[namespace] as Result;
  };
  // The management API has no read of several ids, so a batch is one call for each id, all at once.
  const showEach = (plural: string, name: string) =>
    new DataLoader<number, UpstreamRow>((ids) =>
      Promise.all(ids.map((id) => get<UpstreamRow>(`/${plural}/${id}`, name))),
    );
  return {
    listDatasets: (limit, after) =>
      get(`/datasets?datasets[limit]=${limit}&datasets[from_id]=${after}`, 'datasets'),
    listSnapshots: (dataset, limit) =>
      get(`/datasets/${dataset}/snapshots?snapshots[limit]=${limit}`, 'snapshots'),
    datasets: showEach('datasets', 'dataset'),
    users: showEach('users', 'user'),
  };
}
