// The rows of the benches' management API, and its answers as text.
type Row = Readonly<Record<string, unknown>>;

const DATASETS = 200;
const USERS = 13;
const ENVIRONMENTS = 4;
const SNAPSHOTS = 10;

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();

const users = range(USERS).map((id) => ({
  id,
  login: `user${id}`,
  full_name: `User Number ${id}`,
  level: id % 5,
}));
const environments = range(ENVIRONMENTS).map((id) => ({
  id,
  label: `Environment ${id}`,
  domain: `env${id}.example`,
}));
const snapshotsOf = (dataset: number): readonly Row[] =>
  range(SNAPSHOTS).map((id) => ({ id, name: `snapshot ${dataset}.${id}`, created_at: day(id) }));

/** An association: a reference by id and label. */
const associate = (reference: Row): Row => ({
  ...reference,
  _meta: { path_params: [reference['id']], resolved: false },
});

function dataset(id: number): Row {
  const { id: userId, login } = users[(id - 1) % USERS] ?? {};
  const { id: environmentId, label } = environments[(id - 1) % ENVIRONMENTS] ?? {};
  return {
    id,
    name: `tank/data/${id}`,
    used: id * 1_024,
    quota: id * 4_096,
    compression: id % 2 === 0,
    created_at: day(id),
    user: associate({ id: userId, login }),
    environment: associate({ id: environmentId, label }),
    parent: id === 1 ? null : associate({ id: id - 1, name: `tank/data/${id - 1}` }),
  };
}

/** The part of a list that the paging parameters of a query name, as an answer. */
function page(namespace: string, rows: readonly Row[], query: URLSearchParams, toRow = (row: Row) => row) {
  const limit = Number(query.get(`${namespace}[limit]`) ?? rows.length);
  const from = Number(query.get(`${namespace}[from_id]`) ?? 0);
  const listed = rows.filter(({ id }) => Number(id) > from).slice(0, limit);
  const meta = query.get('_meta[count]') === null ? {} : { _meta: { total_count: rows.length } };
  return {
    [namespace]: listed.map((row) => ({
      ...toRow(row),
      _meta: { path_params: [row['id']], resolved: true },
    })),
    ...meta,
  };
}

const find = (rows: readonly Row[], id: string | undefined): Row | undefined =>
  rows.find((row) => String(row['id']) === id);

/** Answers a GET of a row or a list. Null: there is no such path. */
export function readRows(path: string, query: URLSearchParams): Row | null {
  const [, plural, id, nested] = path.split('/');
  const datasets = range(DATASETS).map((number): Row => ({ id: number }));
  const complete = (row: Row): Row => dataset(Number(row['id']));
  const one = (name: string, row: Row | undefined) =>
    row === undefined ? null : { [name]: { ...row, _meta: { path_params: [row['id']], resolved: true } } };
  switch (plural) {
    case 'datasets': {
      const found = find(datasets, id);
      if (id === undefined) return page('datasets', datasets, query, complete);
      if (nested !== undefined) return page('snapshots', snapshotsOf(Number(id)), query);
      return one('dataset', found && complete(found));
    }
    case 'users':
      return id === undefined ? page('users', users, query) : one('user', find(users, id));
    case 'environments':
      return id === undefined
        ? page('environments', environments, query)
        : one('environment', find(environments, id));
    default:
      return null;
  }
}
