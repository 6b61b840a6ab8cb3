// A form that says why its latest attempt has failed.
import { Button } from '@graphiql/react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { errorText } from '../error-text.ts';

/** Shows fields with a button below them. */
export function SubmitForm({
  button,
  isHidden = false,
  onBack,
  run,
  children,
}: {
  readonly button: string;
  readonly isHidden?: boolean;
  /** Leads back to an earlier form, if there is one. */
  readonly onBack?: () => void;
  /** Takes the texts of the fields by name, and rejects with an error for people. */
  readonly run: (texts: Record<string, string>) => Promise<void>;
  readonly children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isBusy) return;
    const texts = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setBusy(true);
    setProblem(null);
    run(texts)
      .catch((error: unknown) => setProblem(errorText(error)))
      .finally(() => setBusy(false));
  }
  return (
    <form hidden={isHidden} onSubmit={submit} method="post">
      {children}
      <div className="optiongraph-buttons">
        {/* A disabled button would lose the keyboard's focus. */}
        <Button type="submit" aria-disabled={isBusy}>
          {button}
        </Button>
        {onBack === undefined ? null : (
          <Button type="button" onClick={onBack}>
            Back
          </Button>
        )}
      </div>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </form>
  );
}
