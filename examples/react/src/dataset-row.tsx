// One dataset, with a button that creates a snapshot of it, and the progress of that.
import type { ActionFragment, DatasetsQuery } from './__generated__/graphql.ts';
import { ErrorMessage } from './error-message.tsx';
import { useCreateSnapshot } from './use-create-snapshot.ts';

interface DatasetRowProps {
  readonly dataset: DatasetsQuery['datasets']['nodes'][number];
  /** Called when the dataset has another snapshot. It must be the same function in each render. */
  readonly onChange: () => void;
}

export function DatasetRow({ dataset, onChange }: DatasetRowProps) {
  const { create, action, isRunning, error } = useCreateSnapshot(dataset.id, onChange);
  const name = dataset.name ?? dataset.id;
  return (
    <li>
      <div>
        <h2>{name}</h2>
        <p className="quiet">{describe(dataset)}</p>
      </div>
      {/* A disabled button would lose the keyboard's focus. */}
      <button
        type="button"
        aria-disabled={isRunning}
        aria-label={`Create a snapshot of ${name}`}
        onClick={() => isRunning || create()}
      >
        Create snapshot
      </button>
      {action && <Progress action={action} of={name} />}
      <ErrorMessage error={error} />
    </li>
  );
}

function Progress({ action: { outcome, progress }, of }: { action: ActionFragment; of: string }) {
  return (
    <div className="progress">
      {outcome === 'RUNNING' && <progress value={progress ?? undefined} aria-label={`Snapshot of ${of}`} />}
      <p className="quiet" role="status">
        {outcome === 'RUNNING' && `${Math.round((progress ?? 0) * 100)} %`}
        {outcome === 'SUCCEEDED' && 'The snapshot has been created.'}
        {outcome === 'FAILED' && 'The snapshot could not be created.'}
      </p>
    </div>
  );
}

/** The API counts in mebibytes. */
const gibibytes = (mebibytes: number): string =>
  (mebibytes / 1024).toLocaleString('en', { maximumFractionDigits: 1 });

/** What a person wants to know of a dataset. A quota of zero is none. */
function describe({ used, refquota, snapshots }: DatasetRowProps['dataset']): string {
  const space = `${gibibytes(used ?? 0)}${refquota ? ` of ${gibibytes(refquota)}` : ''} GiB used`;
  return `${space}, ${snapshots.totalCount === 1 ? '1 snapshot' : `${snapshots.totalCount ?? 0} snapshots`}`;
}
