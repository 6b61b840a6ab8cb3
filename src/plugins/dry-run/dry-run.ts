// Checks mutations as if they were sent: with the extension `dryRun`, none of their writes reaches the API.
import { InvalidInputError } from '../../loaders/errors.ts';
import { RefusedError } from '../../server/errors.ts';
import type { OperationPlugin } from '../../server/plugin.ts';

/**
 * Makes the plugin. It stands before plugins that record writes. A field whose write passes the checks has the error DRY_RUN, and one
 * whose write does not has the payload or the error that the write would have.
 */
export function useDryRun(): OperationPlugin {
  return {
    onMutation({ params, contextValue }) {
      const dryRun = params.extensions?.['dryRun'] ?? false;
      if (typeof dryRun !== 'boolean')
        throw new InvalidInputError('The extension "dryRun" must be true or false.');
      if (dryRun) contextValue.operation.calls.addGuard({ begin: () => Promise.reject(createDryRunError()) });
      return null;
    },
  };
}

const createDryRunError = (): RefusedError =>
  new RefusedError('DRY_RUN', 'The write has passed all checks. It was not sent, because this is a dry run.');
