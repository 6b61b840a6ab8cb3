// Shows an error to a person: the server's own words, or that it cannot be reached.
import { CombinedError } from 'urql';

interface ErrorMessageProps {
  readonly error: Error | null;
  /** Default: there is no button to try again. */
  readonly onRetry?: () => void;
}

export function ErrorMessage({ error, onRetry }: ErrorMessageProps) {
  if (error === null) return null;
  return (
    <div className="error" role="alert">
      <p>{textOf(error)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function textOf(error: Error): string {
  if (!(error instanceof CombinedError)) return error.message;
  if (error.graphQLErrors.length > 0) return error.graphQLErrors.map(({ message }) => message).join(' ');
  return 'The server cannot be reached.';
}
