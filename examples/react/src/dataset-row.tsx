// One dataset, with a button that creates a snapshot of it, and the progress of that.
import type { ActionFragment, DatasetsQuery } from './__generated__/graphql.ts';
import { ErrorMessage } from './error-message.tsx';
import { useSnapshot } from './use-snapshot.ts';

type Dataset = DatasetsQuery['datasets']['nodes'][number];

export function DatasetRow({ dataset }: { dataset: Dataset }) {
  const { create, action, isRunning, error } = useSnapshot(dataset.id);
  const name = dataset.name ?? dataset.id;
  return (
    <li>
      <div>
        <h2>{name}</h2>
        <p className="quiet">
          {describeSpace(dataset)}, {describeCount(dataset.snapshots.totalCount ?? 0)}
        </p>
      </div>
      {/* A disabled button would lose the keyboard's focus. */}
      <button
        type="button"
        aria-disabled={isRunning}
        aria-label={`Create snapshot of ${name}`}
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

const describeCount = (count: number): string => (count === 1 ? '1 snapshot' : `${count} snapshots`);

/** A quota of zero is none. */
const describeSpace = ({ used, refquota }: Dataset): string =>
  `${gibibytes(used ?? 0)}${refquota ? ` of ${gibibytes(refquota)}` : ''} GiB used`;

/** The API counts in mebibytes. */
const gibibytes = (mebibytes: number): string =>
  (mebibytes / 1024).toLocaleString('en', { maximumFractionDigits: 1 });
